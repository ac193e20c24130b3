# Dòng tổng kết và hội tụ. Lời của `convergence` do hợp đồng quy định.
convergence = Convergence: { $rounds } vòng critic — file findings đã đầy đủ; chạy lại sẽ lòi ra 0 vấn đề mới.
stopped-cap = Chưa hội tụ: dừng ở giới hạn { $rounds } vòng critic, { $dry ->
    [0] vòng cuối vẫn còn thêm finding
   *[other] { $dry } vòng cuối không thêm gì
  }; chạy lại có thể lòi ra vấn đề mới.
stopped-hole = Chưa hội tụ: đã chạy { $rounds } vòng critic rồi critic không trả lời; chạy lại có thể lòi ra vấn đề mới.
stopped-human = Chưa hội tụ: người dùng dừng sau { $rounds } vòng critic; chạy lại có thể lòi ra vấn đề mới.
cut-windows = critic đọc theo { $windows } cửa sổ
converged-but-cut = Critic không thêm gì sau { $rounds } vòng, nhưng có phần không được đọc hoặc trả lời trọn vẹn ({ $list }): file findings chưa đầy đủ.
converged-with-holes = Critic không thêm gì sau { $rounds } vòng, nhưng { $holes } câu hỏi không có ai trả lời: file findings chưa đầy đủ.
dry-worth = { $dry } vòng liên tiếp không thêm gì vẫn không loại trừ (ở mức 95 %) khả năng tới { $percent } % rằng thêm một vòng nữa sẽ tìm ra vấn đề.
dry-worth-offline = Bộ rà soát ngoại tuyến chỉ áp dụng quy tắc: vòng không thêm gì không nói lên điều gì về những thứ quy tắc không thấy được.
summary-title = Rà soát { $recipe } cho { $file }
summary-agents = Đã rà soát bởi { $agents } agent trong { $waves } đợt và { $rounds } vòng critic ({ $new }).
summary-agents-alone = Đã hỏi { $agents } agent trong { $waves } đợt; chưa có vòng critic nào.
summary-findings = Findings: { $total } ({ $critical } critical, { $major } major, { $minor } minor)
summary-dimensions = Theo chiều rà soát: { $list }
summary-conflicts = Xung đột: { $total }, trong đó { $settled } đã quyết và { $deferred } hoãn lại
summary-questions = Câu hỏi còn mở: { $total }
summary-duplicates = Có thể trùng, để người đọc xét: { $total }
summary-dropped = Bỏ vì bị finding khác vô hiệu: { $total }
summary-ungrounded = Trích dẫn không có trong tài liệu: { $total }
summary-holes = Chỗ trống, không ai trả lời: { $list }
summary-not-covered = Bộ rà soát này không bao quát, nên không phải là sạch: { $list }
summary-carried = Quyết định mang sang từ file trước: { $carried }; không còn khớp: { $unmatched }
summary-recommendation = Khuyến nghị: { $word }
summary-written = Đã ghi: { $path }
summary-backup = File cũ được giữ lại ở { $path }
progress-plan = kế hoạch: { $agents } agent trong { $waves } đợt, { $scopes } phạm vi, các chiều { $dimensions }
progress-started = { $step }: đã hỏi { $agent }
progress-again = { $step }: hỏi lại { $agent } (lần { $attempt })
progress-done = { $step }: { $findings } finding
progress-not-covered = { $step }: { $agent } không bao quát
progress-failed = { $step }: thất bại ({ $reason })
progress-hole = { $step }: lỗ hổng, không ai trả lời ({ $reason })
progress-held = { $step }: không được hỏi ({ $reason })
progress-round = vòng { $round }/{ $cap }: { $new } finding mới, vòng khô { $dry }/{ $dry_cap }
progress-gate-open = { $gate }: mở, { $items ->
    [0] không có gì chờ người quyết
   *[other] { $items } mục chờ người quyết
  }
progress-gate-closed = { $gate }: đã đóng
progress-gate-reopened = { $gate }: mở lại
progress-record = { $gate }: { $op } ({ $by })
progress-settled = đã dàn xếp: { $findings } finding, { $conflicts } xung đột, { $dropped } bị bỏ
progress-written = đã ghi: { $path }
progress-resumed = tiếp tục lượt chạy { $run }
progress-began = bắt đầu lượt chạy { $run }: { $file }
progress-paused = lượt chạy { $run } đang chờ: { $reason }
progress-answered = { $step }: đã trả lời
summary-only = Chỉ rà soát theo lăng kính: { $list }. Critic đã đọc toàn bộ; finding ở chỗ khác được giữ nguyên.
op-choose = chọn phương án
op-write = quyết bằng lời riêng
op-accept = chấp nhận
op-reject = từ chối
op-defer = hoãn lại
op-answer = trả lời câu hỏi
op-assign = giao câu hỏi
op-defer-question = hoãn câu hỏi
op-strike = gạch finding
op-add = thêm finding
op-stop = dừng vòng critic
op-clear = bỏ quyết định
op-clear-question = mở lại câu hỏi
op-undo = hoàn tác
op-redo = làm lại
op-bulk = { $count } quyết định cùng lúc
