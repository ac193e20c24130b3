# Bàn làm việc.
clipboard-sent = Đã gửi tới clipboard của terminal; terminal không báo lại có nhận hay không.
clipboard-sent-tmux = Đã gửi tới tmux; tmux chỉ chuyển tiếp khi bật “set-clipboard on”.
clipboard-tmux-buffer = Đã nằm trong buffer của tmux: dán bằng phím prefix rồi ].
clipboard-tmux-refused = tmux không nhận vào buffer: { $reason }
clipboard-tmux-silent = tmux không trả lời trong 3 giây; có thể chưa nhận được.
clipboard-too-long = Chưa gửi: { $size } kB vượt quá mức clipboard của terminal nhận ({ $max } kB). Hãy ghi ra file.
clipboard-not-sent = Terminal không nhận: { $reason }
clipboard-file = Đã ghi vào { $path }
clipboard-file-failed = Không ghi được file: { $reason }

editor-no-command = { $value } không phải là lệnh: thiếu dấu nháy đóng. Nội dung của bạn vẫn như cũ.
editor-missing = Chưa cài { $program }: hãy đặt $EDITOR là trình soạn thảo của bạn. Nội dung của bạn vẫn như cũ.
editor-failed = { $program } kết thúc với mã { $code }: nội dung của bạn vẫn như cũ.
editor-killed = { $program } bị dừng bởi một tín hiệu: nội dung của bạn vẫn như cũ.
editor-too-long = Trình soạn thảo để lại { $size } MiB; chỉ nhận tối đa { $max } MiB. Nội dung của bạn vẫn như cũ.
editor-no-text = Trình soạn thảo để lại dữ liệu không phải văn bản UTF-8: nội dung của bạn vẫn như cũ.
editor-trouble = Không dùng được trình soạn thảo: { $reason }. Nội dung của bạn vẫn như cũ.
