//! What counts as a document, and the one clear sentence for what does not.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use tamis::document::{DecodeError, Document, MAX_BYTES, ReadError, decode, read};
use tamis::model::fault::{Fault, FaultKind};

fn refusal(bytes: &[u8]) -> String {
    decode(bytes).expect_err("no document").to_string()
}

#[test]
fn utf8_with_or_without_mark_and_either_line_end_is_read() {
    for bytes in [&b"# A\n\nText\n"[..], b"\xef\xbb\xbf# A\n\nText\n", b"# A\r\n\r\nText\r\n", b"\xef\xbb\xbf# A\r\n\r\nText"] {
        let doc = decode(bytes).expect("a document");
        assert_eq!(doc.outline().line_count(), 3);
        assert_eq!(doc.outline().sections[0].title, "A");
        assert_eq!(doc.line_text(3), "Text");
        assert_eq!(doc.hash(), blake3::hash(bytes).to_hex().as_str(), "the hash is that of the bytes, mark included");
    }
}

#[test]
fn a_text_hashes_like_its_bytes() {
    let text = "# Tài liệu\n";
    assert_eq!(Document::parse(text.to_owned()).hash(), decode(text.as_bytes()).expect("a document").hash());
}

#[test]
fn an_empty_document_decodes_and_is_blank() {
    for bytes in [&b""[..], b"\xef\xbb\xbf", b" \n\t\n", b"---\ntitle: x\n---\n\n"] {
        assert!(decode(bytes).expect("a document").is_blank(), "{bytes:?}");
    }
    for text in ["x", "# A", "---\ntitle: x\n---\nText"] {
        assert!(!Document::parse(text.to_owned()).is_blank(), "{text}");
    }
}

#[test]
fn utf16_is_named_with_and_without_its_mark() {
    let encode = |text: &str, little: bool| -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    };
    let text = "# Refund requests\n\nA customer asks.\n";
    for (mark, little, name) in [(true, true, "little"), (true, false, "big"), (false, true, "little"), (false, false, "big")] {
        let lead = if mark { "\u{feff}" } else { "" };
        let said = refusal(&encode(&format!("{lead}{text}"), little));
        assert!(said.contains("UTF-16") && said.contains(name) && said.contains("byte 0"), "{said}");
    }
    let chinese = refusal(&encode("\u{feff}退款申请", true));
    assert!(chinese.contains("UTF-16"), "{chinese}");
}

#[test]
fn a_nul_byte_is_named_by_its_offset() {
    assert_eq!(decode(b"# A\n\nTe\0xt\n").expect_err("no document"), DecodeError::Nul { offset: 7 });
    assert_eq!(decode(b"\xef\xbb\xbfA\0").expect_err("no document"), DecodeError::Nul { offset: 4 }, "the mark counts");
    assert!(refusal(b"abc\0\xff").contains("NUL byte at byte 3"));
}

#[test]
fn other_encodings_are_named_by_offset_byte_and_likeness() {
    let latin = refusal(b"# Caf\xe9\n\nDer Preis f\xfcr Tee.\n");
    assert!(latin.contains("byte 5 (0xE9)") && latin.contains("Latin-1"), "{latin}");
    let windows = refusal(b"Say \x93hello\x94 now\n");
    assert!(windows.contains("byte 4 (0x93)") && windows.contains("Windows-1252"), "{windows}");
    let chinese = refusal(b"\xcd\xcb\xbf\xee \xc9\xea\xc7\xeb\n");
    assert!(chinese.contains("GB18030"), "{chinese}");
    let cut = refusal("ab退".as_bytes().split_last().expect("bytes").1);
    assert!(cut.contains("byte 2") && cut.contains("cut"), "{cut}");
}

#[test]
fn lines_that_end_in_carriage_returns_alone_are_refused() {
    assert_eq!(decode(b"# A\r\rText\r").expect_err("no document"), DecodeError::CarriageReturns { offset: 3 });
    assert!(decode(b"one line\r").is_ok(), "one at the end harms nothing");
}

#[test]
fn the_size_limit_is_exact() {
    assert!(decode(&vec![b' '; MAX_BYTES]).is_ok());
    let said = refusal(&vec![b' '; MAX_BYTES + 1]);
    assert!(said.contains("16777217") && said.contains("16 MiB"), "{said}");
}

#[test]
fn every_refusal_is_one_sentence_with_something_to_do() {
    for bytes in [&b"\xff\xfea\0"[..], b"a\0b", b"\xe9t\xe9", b"a\rb"] {
        let error = decode(bytes).expect_err("no document");
        assert!(!error.to_string().contains('\n') && !error.to_string().ends_with('.'), "{error}");
        assert!(error.hint().ends_with('.'), "{}", error.hint());
    }
}

#[test]
fn files_are_read_and_their_faults_are_input_faults() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("prd.md");
    fs::write(&path, "# A\n").expect("a file");
    assert_eq!(read(&path).expect("a document").text(), "# A\n");
    symlink(&path, folder.path().join("link.md")).expect("a link");
    assert!(read(&folder.path().join("link.md")).is_ok());

    let missing = read(&folder.path().join("none.md")).expect_err("no file");
    assert!(matches!(missing, ReadError::Missing { .. }));
    assert!(matches!(read(folder.path()).expect_err("a folder"), ReadError::Folder { .. }));
    assert!(matches!(read(&path.join("below")).expect_err("not a folder"), ReadError::Io { .. }));
    fs::write(&path, b"caf\xe9").expect("a file");
    let fault = Fault::from(read(&path).expect_err("not UTF-8"));
    assert_eq!(fault.kind, FaultKind::Io);
    assert!(fault.what.contains("prd.md") && fault.what.contains("byte 3"), "{}", fault.what);
    assert!(fault.hint.contains("UTF-8"), "{}", fault.hint);
}

#[test]
fn pipes_and_devices_are_refused_without_waiting() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe.md");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).expect("a pipe");
    assert!(fs::metadata(&pipe).expect("metadata").file_type().is_fifo());
    let error = read(&pipe).expect_err("a pipe");
    assert!(error.to_string().contains("a named pipe"), "{error}");
    let error = read(std::path::Path::new("/dev/zero")).expect_err("a device");
    assert!(error.to_string().contains("a device"), "{error}");
}

#[test]
fn a_file_over_the_limit_is_refused_by_its_size() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.md");
    let file = fs::File::create(&path).expect("a file");
    file.set_len(MAX_BYTES as u64 * 64).expect("a sparse file");
    let error = read(&path).expect_err("too large");
    assert!(matches!(error, ReadError::Decode { error: DecodeError::TooLarge { .. }, .. }), "{error}");
}
