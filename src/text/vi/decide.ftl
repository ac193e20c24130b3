# Xung đột, câu hỏi và ô nhập của bàn làm việc.
decide-nothing = Không có xung đột nên ở đây không có gì phải quyết. F4 xem câu hỏi, F5 xem phát hiện, w xem báo cáo.
decide-nothing-yet = Xung đột được tập hợp khi critic đã xong. F2 cho biết lượt chạy đến đâu.
decide-open = { $open } còn mở
decide-none-open = không còn mục mở
decide-reviewers = { $count } bên rà soát trái ý nhau
decide-one-reviewer = một bên rà soát, { $ways } cách
decide-options = Phương án
decide-signs = so với dòng gốc: [-bỏ đi-] {"{"}+thêm vào+{"}"}; đậm: dòng đó không có
decide-remember = Chọn gì cũng không được quên:
decide-absorbed = Đã gộp vào: { $count }
decide-similar = Có thể nói cùng một điều:
decided-choice = đã quyết: { $label }
decided-own = đã quyết: tự viết
decided-rejected = đã quyết: từ chối tất cả
decided-accepted = đã quyết: chấp nhận
decided-deferred = đã hoãn
decided-own-words = Lời:
decided-reason = Lý do:
decided-why-deferred = Hoãn vì:
option-chosen = đã chọn
option-from = từ { $who }
option-rests = dòng { $line }: "{ $quote }"
option-rests-nowhere = không dựa vào dòng nào của tài liệu này
option-rests-unfound = không tìm thấy trong tài liệu này: "{ $quote }"
option-says = nói: { $words }
option-says-above = nói: như lời ở trên
option-touches = có thể ảnh hưởng: { $id } được dẫn ở { $places }
option-names = có thể ảnh hưởng: { $id }, còn ở { $places }
cited-at = { $name } (dòng { $line })
cited-line = dòng { $line }
cited-more = { $count } chỗ nữa
quoted-missing = Tài liệu thiếu: { $what }
quoted-nowhere = Những lời này không có trong tài liệu.
text-more = (còn { $count } ký tự)
said-lens = lăng kính { $name }
said-critic = critic vòng { $round }
said-person = một người
draft-kept-here = "{ $what }" có bản nháp; { $key } mở ra
questions-nothing = Không có câu hỏi. F3 xem xung đột, F5 xem phát hiện, w xem báo cáo.
questions-nothing-yet = Câu hỏi được tập hợp khi critic đã xong. F2 cho biết lượt chạy đến đâu.
question-policy = câu hỏi chính sách: { $topic ->
    [security] bảo mật
    [privacy] quyền riêng tư
    [money] tiền bạc
    [law] pháp luật
    [product] sản phẩm
   *[other] { $topic }
  } (chỉ con người trả lời)
question-ordinary = câu hỏi
question-open-count = { $open } còn mở, { $policy } chặn việc ghi
question-open = còn mở
question-answered = đã trả lời
question-blocks = chưa ghi được cho đến khi bạn trả lời hoặc hoãn kèm lý do
question-may-stay = có thể để mở: sẽ được ghi ra mà chưa có câu trả lời
question-answer = Trả lời:
question-owner = Ai sẽ trả lời:
question-no-owner = Chưa chỉ định ai trả lời; o để chỉ định.
question-finding = { $id } hỏi vì:
question-remember = Không được quên:
question-suggestion = Đề xuất:
told-saved = Đã lưu: { $what }
told-undone = Đã hoàn tác: { $what }
told-redone = Đã làm lại: { $what }
told-conflicts-left = { $count ->
    [1] còn 1 xung đột
   *[other] còn { $count } xung đột
  }
told-policy-left = { $count ->
    [1] còn 1 câu hỏi chính sách
   *[other] còn { $count } câu hỏi chính sách
  }
told-next-conflicts = tiếp theo: { $count ->
    [1] 1 xung đột còn mở
   *[other] { $count } xung đột còn mở
  } (!)
told-next-policy = tiếp theo: { $count ->
    [1] 1 câu hỏi chính sách
   *[other] { $count } câu hỏi chính sách
  } (!)
told-questions-may-stay = { $count ->
    [1] 1 câu hỏi có thể để mở
   *[other] { $count } câu hỏi có thể để mở
  }, w xem báo cáo
told-all-decided = không còn gì mở, w xem báo cáo
did-choose = { $id } { $label }
did-write = { $id } tự viết
did-accept = { $id } được chấp nhận
did-reject = { $id } bị từ chối
did-defer = { $id } được hoãn
did-clear = { $id } trở lại chưa quyết
did-answer = câu trả lời cho { $id }
did-assign = người phụ trách câu hỏi của { $id }
did-defer-question = câu hỏi của { $id } được hoãn
did-clear-question = câu hỏi của { $id } mở lại
did-strike = đã gạch: { $id }
did-add = phát hiện của bạn
did-stop = dừng các vòng
did-bulk = { $count } quyết định cùng lúc
did-nothing = không có gì
entry-draft = bản nháp của bạn
entry-begun = bắt đầu từ { $label }
entry-begun-all = bắt đầu từ mọi phương án
entry-begun-own = lời của bạn
entry-many = { $count } phát hiện
why-saving = đang lưu
do-next-open = mục mở kế tiếp
