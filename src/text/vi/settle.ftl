# Các câu mà bước chốt thêm vào file findings.
settle-undecided = Các finding { $findings } nói cùng một vấn đề, hay các đề xuất của chúng loại trừ nhau?
settle-stands = “{ $thing }” không hề thiếu: nội dung này nằm ở dòng { $line } của tài liệu.
settle-quoted = “{ $thing }” không hề thiếu: finding { $finding } trích dẫn chính nội dung này.
