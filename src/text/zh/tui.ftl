# 工作台。
clipboard-sent = 已发送到终端剪贴板；终端是否接收，无从得知。
clipboard-sent-tmux = 已发送到 tmux；只有开启“set-clipboard on”时它才会转发。
clipboard-tmux-buffer = 已放入 tmux 缓冲区：按前缀键再按 ] 粘贴。
clipboard-tmux-refused = tmux 未将其放入缓冲区：{ $reason }
clipboard-tmux-silent = tmux 在 3 秒内没有回应，可能没有收到。
clipboard-too-long = 未发送：{ $size } kB 超出终端剪贴板的上限（{ $max } kB）。请改为写入文件。
clipboard-not-sent = 终端未接收：{ $reason }
clipboard-file = 已写入 { $path }
clipboard-file-failed = 无法写入文件：{ $reason }

editor-no-command = { $value } 不是有效命令：引号未闭合。您的文字保持不变。
editor-missing = 未安装 { $program }：请将 $EDITOR 设为您的编辑器。您的文字保持不变。
editor-failed = { $program } 以代码 { $code } 结束：您的文字保持不变。
editor-killed = { $program } 被信号终止：您的文字保持不变。
editor-too-long = 编辑器留下 { $size } MiB，最多接收 { $max } MiB。您的文字保持不变。
editor-no-text = 编辑器留下的内容不是 UTF-8 文本：您的文字保持不变。
editor-trouble = 无法使用编辑器：{ $reason }。您的文字保持不变。
