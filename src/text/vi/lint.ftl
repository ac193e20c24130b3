# Lời của bộ rà soát ngoại tuyến: sai ở đâu, và nên viết thế nào.
# $place là một mã (AC-05), tên mục trong ngoặc kép, hoặc một dòng; $words là lời của chính tài liệu, trong ngoặc kép.
lint-line = dòng { $line }
lint-beginning = phần đầu tài liệu
lint-numbered = { $owner } ý { $number }
lint-within = { $section } của { $owner }
lint-section = mục { $section }
lint-rules-section = một quy tắc nghiệp vụ riêng
lint-somebody = người dùng

lint-P01-rule = { $place } vẫn ghi { $words }: chưa chốt điều này thì không ai làm hay kiểm thử được.
lint-P01-finding = { $words } nằm trong { $place } ở chỗ cần một quyết định, nên người đọc không biết sẽ nhận được gì.
lint-P01-move = Viết giá trị đã chốt thay cho { $words }. Nếu chưa chốt, đưa thành câu hỏi trong { $section }, có người phụ trách và hạn trả lời, và để { $place } nhắc đến câu hỏi đó.
lint-P01-suggestion = Viết giá trị đã chốt thay cho { $words } trong { $place }. Nếu chưa chốt, ghi thành câu hỏi mở, có người phụ trách và hạn trả lời.

lint-X01-finding = { $id } được đặt lần thứ hai ở đây; ở dòng { $line } mã này đã là { $first }. Nơi nào nhắc đến { $id } cũng không rõ là cái nào.
lint-X01-suggestion = Đặt cho chỗ này số còn trống { $next }, giữ { $id } cho chỗ đầu tiên.
lint-X01-cited = Đặt cho chỗ này số còn trống { $next }, giữ { $id } cho chỗ đầu tiên; sau đó xem những nơi nhắc đến { $id } (dòng { $lines }) muốn nói cái nào.
lint-X01-copy = { $id } xuất hiện lần thứ hai ở đây, lời y hệt dòng { $line }; khi chỉ sửa một chỗ thì không ai biết chỗ nào đúng.
lint-X01-copy-suggestion = Xóa một trong hai bản của { $id }.
lint-X01-ordinal = Số { $number } được dùng hai lần trong { $place }, ở đây và ở dòng { $line }: nói “số { $number }” thì không rõ là ý nào.
lint-X01-ordinal-suggestion = Đổi ý này thành số { $next } rồi đánh số tiếp; sửa cả những chỗ nhắc đến các số từ { $number } trở đi.

lint-X02-finding = { $place } dựa vào { $ids }, nhưng tài liệu không định nghĩa mã này (chỉ có { $known }).
lint-X02-again = { $place } dựa vào { $ids }, nhưng tài liệu không định nghĩa mã này (chỉ có { $known }); dòng { $lines } cũng vậy.
lint-X02-others = { $count } mã khác, từ { $first } đến { $last }, không có { $ids }
lint-X02-suggestion = Viết rõ nội dung của { $ids } ở nơi định nghĩa loại này ({ $section }), hoặc dẫn đúng mã muốn nói.
lint-X02-near = Nếu { $ids } thật ra là { $near } thì dẫn mã đó; nếu không, viết rõ nội dung của { $ids }.

lint-C01-finding = { $place } ghi { $value }, còn { $first_place } (dòng { $first_line }) ghi { $first } cho cùng một việc. Hai giá trị không thể cùng đúng.
lint-C01-suggestion = Chọn giữa { $first } và { $value }, ghi giá trị ở một chỗ, chỗ kia dẫn lại.
lint-C01-option = Lấy { $value } như { $place } ghi; sửa { $others } theo giá trị này.

lint-A01-amount = { $words } trong { $place } không nói rõ bao nhiêu hay những cái nào.
lint-A01-amount-suggestion = Ghi con số, hoặc liệt kê các trường hợp, thay cho { $words }.
lint-A01-judged = { $words } trong { $place } để mỗi người đọc tự hiểu thế nào là đạt, nên không kiểm thử được.
lint-A01-judged-suggestion = Thay { $words } bằng điều nhìn thấy hoặc đo được: một giá trị, một danh sách, hay quy tắc quyết định việc đó.
lint-A01-both = Trong { $place }, { $amounts } không nói rõ những cái nào, còn { $judged } không nói rõ thế nào là đạt.
lint-A01-both-suggestion = Liệt kê các trường hợp của { $amounts }, và thay { $judged } bằng điều nhìn thấy hoặc đo được.
lint-A01-related = { $words } trong { $place } không nói rõ là với cái gì, nên mỗi người đọc hiểu một phạm vi khác nhau.
lint-A01-related-suggestion = Thay { $words } bằng tên của chính những thứ đó, hoặc nói rõ chúng có điểm gì chung với cái gì.

lint-A04-finding = Trong { $place }, { $words } để người thực hiện tự quyết điều này có áp dụng hay không.
lint-A04-suggestion = Ghi chính điều kiện thay cho { $words } (“khi …”, hoặc quy tắc quyết định việc đó); nếu không có điều kiện nào thì bỏ { $words }.

lint-T01-finding = { $place } dùng { $words } trong khi từ đã thống nhất là { $right }; người đọc sẽ hiểu là hai thứ khác nhau.
lint-T01-bare = { $place } dùng { $words }, từ mà dự án đã thống nhất không dùng.
lint-T01-suggestion = Viết { $right } thay cho { $word }.
lint-T01-form = Viết { $right } thay cho { $word }.
lint-T01-choose = Viết { $choices } thay cho { $word }, tùy điều muốn nói.
lint-T01-choose-word = Dùng từ đã thống nhất thay cho { $word }.

lint-B01a-finding = { $place } tả cách hệ thống chạy bên trong ({ $words }) thay vì điều người ta nhìn thấy.
lint-B01a-suggestion = Chuyển phần về { $words } sang { $target }; { $place } giữ kết quả nhìn thấy được và dẫn quy tắc đó.

lint-B02-finding = { $place } chỉ lặp lại { $rule } (dòng { $line }): không có gì để kiểm ngoài quy tắc, mà mỗi lần đổi phải sửa hai chỗ.
lint-B02-suggestion = Chuyển lời văn về { $rule }, đúng chỗ của nó; { $place } giữ phần dẫn { $rule } và kết quả nhìn thấy khi quy tắc được đáp ứng hay bị vi phạm.

lint-G01-finding = { $unit } chỉ nói chuyện gì xảy ra khi mọi việc suôn sẻ; không có chỗ nào nói { $actor } gặp gì khi thiếu dữ liệu, bị từ chối hay gặp trục trặc.
lint-G01-suggestion = Nói rõ trong { $unit }: { $actor } thấy gì và làm gì được khi dữ liệu sai hoặc thiếu, khi yêu cầu bị từ chối, và khi trục trặc giữa chừng.
lint-G01-shows = Nói rõ trong { $unit }: { $actor } thấy gì khi không có gì để hiển thị, khi không được phép xem, và khi không tải được.

lint-S01-finding = Không có đường ra khỏi { $states }: được chuyển vào ở dòng { $lines }, nhưng không bước chuyển nào bắt đầu từ đó và không có gì nói đó là trạng thái cuối.
lint-S01-unreached = Không bước chuyển nào dẫn tới hay bắt đầu từ { $states }, và không có gì nói đó là trạng thái cuối.
lint-S01-suggestion = Nói rõ từ { $states } sẽ đi tiếp thế nào (sự kiện nào, sang trạng thái nào), hoặc ghi rõ đó là trạng thái cuối.

lint-M02-finding = { $question } chưa có câu trả lời; những gì phụ thuộc vào nó chưa làm được.
lint-M02-policy = { $question } chưa có câu trả lời, và đây là quyết định về { $topic } mà con người phải đưa ra.
lint-M02-suggestion = Nêu rõ ai trả lời và hạn khi nào; ghi câu trả lời vào nơi áp dụng rồi đóng câu hỏi trong { $place }.
lint-M02-owned = Hỏi { $owner }, ghi câu trả lời vào nơi áp dụng rồi đóng câu hỏi trong { $place }.
lint-topic-security = bảo mật
lint-topic-privacy = quyền riêng tư
lint-topic-law = pháp lý
lint-topic-money = tiền bạc
lint-topic-product = phạm vi sản phẩm

lint-P0-finding = Tài liệu không nêu tên miền nghiệp vụ nào đã biết ({ $domains }), nên không rõ nó thuộc về đâu.
lint-P0-suggestion = Nói ngay ở đầu tài liệu thuộc miền nào trong số: { $domains }.

lint-P3-value = { $place } ghi { $value }, còn { $file } (dòng { $line }) ghi { $other } cho cùng một việc.
lint-P3-value-suggestion = Chọn giữa { $value } và { $other }, rồi chỉ ghi ở một trong hai tài liệu.
lint-P3-value-here = Lấy { $value } như { $here } của tài liệu này ghi; sửa { $there } trong { $file } theo giá trị này.
lint-P3-value-there = Lấy { $other } như { $there } trong { $file } ghi; sửa { $here } của tài liệu này theo giá trị đó.
lint-P3-id = { $id } được định nghĩa ở đây và, với lời khác, trong { $file } (dòng { $line }): { $other }.
lint-P3-id-suggestion = Để một tài liệu định nghĩa { $id } và tài liệu kia dẫn lại, hoặc đổi số một trong hai.
lint-P3-id-here = Giữ định nghĩa { $id } trong tài liệu này; { $file } dẫn lại.
lint-P3-id-there = Giữ định nghĩa { $id } trong { $file }; tài liệu này dẫn lại.
