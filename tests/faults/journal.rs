//! A journal as the documentation says it is, read and written without the product's own code.

use serde_json::Value;
use std::path::Path;

fn checksum(record: &str) -> String {
    blake3::hash(record.as_bytes()).to_hex()[..16].to_owned()
}

/// The records of a sound journal: every line whole, with its checksum, its number and the checksum of the line before.
pub fn records(journal: &Path) -> Vec<Value> {
    let text = String::from_utf8(std::fs::read(journal).expect("a journal")).expect("UTF-8");
    assert!(text.is_empty() || text.ends_with('\n'), "its last record is whole");
    let mut prev = String::new();
    let record = |(seq, line): (usize, &str)| {
        let (crc, rest) = line.strip_prefix("{\"crc\":\"").and_then(|line| line.split_once("\",\"r\":")).expect("a record");
        let text = rest.strip_suffix('}').expect("a record");
        assert_eq!(crc, checksum(text), "record {seq}");
        let record: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!((&record["seq"], &record["prev"]), (&Value::from(seq), &Value::from(prev.as_str())), "record {seq}");
        prev = crc.to_owned();
        record
    };
    text.lines().enumerate().map(record).collect()
}

/// Records with numbers, checksums and chain, as a writer of any version makes them.
pub fn framed(records: &[Value]) -> Vec<u8> {
    let (mut out, mut prev) = (Vec::new(), String::new());
    for (seq, record) in records.iter().enumerate() {
        let mut record = record.clone();
        (record["seq"], record["prev"]) = (seq.into(), prev.into());
        let text = record.to_string();
        prev = checksum(&text);
        out.extend_from_slice(format!("{{\"crc\":\"{prev}\",\"r\":{text}}}\n").as_bytes());
    }
    out
}
