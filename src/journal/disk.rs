//! What the writer asks of a file. A real one is [`File`]; tests put failing ones in its place.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// A file that one writer appends to.
pub(super) trait Disk: Send {
    /// Writes all bytes at an offset; on an error any part of them may have been written.
    fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Cuts the file to a length.
    fn set_len(&mut self, len: u64) -> io::Result<()>;
    /// Returns when content and length are on the disk (`fdatasync`).
    fn sync_data(&mut self) -> io::Result<()>;
}

impl Disk for File {
    fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        FileExt::write_all_at(self, bytes, offset)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        File::set_len(self, len)
    }

    fn sync_data(&mut self) -> io::Result<()> {
        File::sync_data(self)
    }
}
