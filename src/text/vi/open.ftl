# Lượt chạy và tệp findings được mở, và cửa sổ chỉ để xem.
open-held = Chỉ xem: { $holder } đang giữ lượt chạy này; diễn biến hiện ở đây
open-holder-gone = Không còn ai giữ lượt chạy này; { $command } để tiếp quản
open-goes-on = Lượt chạy này chưa xong: nó tiếp tục ở đây
open-kept-decisions = Các quyết định trên tệp này còn dở, chưa ghi: chúng đây
open-rests = Chưa có gì thay đổi cho tới khi bạn quyết định
open-cannot-change = Chỉ xem: { $why }; { $hint }
open-cannot-follow = Cửa sổ này không theo dõi lượt chạy: { $why }
open-document-missing = Không thấy { $path } ở đây: không hiện được các dòng trích
open-document-changed = Văn bản đã dời hoặc đổi: { $path } không còn như lúc được review
open-unfinished = Lượt chạy trước của tài liệu này chưa xong: { $command } để làm tiếp
