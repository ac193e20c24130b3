# 总结与收敛行；`convergence` 的文字由合同规定。
convergence = Convergence: { $rounds } 轮 critic — findings 文件已完整；再运行一次将发现 0 个新问题。
stopped-cap = 未收敛：已到 { $rounds } 轮 critic 的上限，{ $dry ->
    [0] 最后一轮仍有新增
   *[other] 最后 { $dry } 轮无新增
  }；再运行一次可能发现新问题。
stopped-hole = 未收敛：运行 { $rounds } 轮后 critic 没有给出回答；再运行一次可能发现新问题。
stopped-human = 未收敛：{ $rounds } 轮 critic 后由人停止；再运行一次可能发现新问题。
cut-windows = critic 分 { $windows } 个窗口阅读
converged-but-cut = critic 在 { $rounds } 轮后无新增，但有内容未被完整阅读或回答（{ $list }）：findings 文件并不完整。
converged-with-holes = critic 在 { $rounds } 轮后无新增，但有 { $holes } 个提问始终没有回答：findings 文件并不完整。
dry-worth = 连续 { $dry } 轮无新增，在 95 % 水平上仍不能排除再来一轮有最多 { $percent } % 的可能发现问题。
dry-worth-offline = 离线审查只套用规则：无新增的轮次并不说明规则看不到的问题不存在。
summary-title = { $file } 的 { $recipe } 审查
summary-agents = 由 { $agents } 个 agent 分 { $waves } 批审查，critic { $rounds } 轮（{ $new }）。
summary-agents-alone = 分 { $waves } 批询问了 { $agents } 个 agent；没有 critic 轮次。
summary-findings = Findings：{ $total }（critical { $critical }，major { $major }，minor { $minor }）
summary-dimensions = 按维度：{ $list }
summary-conflicts = 冲突：{ $total }，其中已决定 { $settled }，推迟 { $deferred }
summary-questions = 未回答的问题：{ $total }
summary-duplicates = 可能重复，留给读者判断：{ $total }
summary-dropped = 因被其他 finding 推翻而删去：{ $total }
summary-ungrounded = 文档中找不到的引文：{ $total }
summary-holes = 空缺，无人回答：{ $list }
summary-not-covered = 本审查者未覆盖，因此不算无问题：{ $list }
summary-carried = 从先前文件沿用的决定：{ $carried }；已无对应：{ $unmatched }
summary-recommendation = 建议：{ $word }
summary-written = 已写入：{ $path }
summary-backup = 原有文件保留为 { $path }
progress-plan = 计划：{ $agents } 个 agent，{ $waves } 批，{ $scopes } 个范围，维度 { $dimensions }
progress-started = { $step }：已询问 { $agent }
progress-again = { $step }：再次询问 { $agent }（第 { $attempt } 次）
progress-done = { $step }：{ $findings } 条 finding
progress-not-covered = { $step }：{ $agent } 未覆盖
progress-failed = { $step }：失败（{ $reason }）
progress-hole = { $step }：留下空缺（{ $reason }）
progress-held = { $step }：未提问（{ $reason }）
progress-round = 第 { $round }/{ $cap } 轮：新增 { $new }，无新增 { $dry }/{ $dry_cap }
progress-gate-open = { $gate }：开放，{ $items ->
    [0] 没有需要人决定的事项
   *[other] { $items } 项等待人决定
  }
progress-gate-closed = { $gate }：已关闭
progress-gate-reopened = { $gate }：重新开放
progress-record = { $gate }：{ $op }（{ $by }）
progress-settled = 已整理：{ $findings } 条 finding，{ $conflicts } 个冲突，删去 { $dropped } 条
progress-written = 已写入：{ $path }
progress-resumed = 继续运行 { $run }
progress-began = 开始运行 { $run }：{ $file }
progress-paused = 运行 { $run } 等待：{ $reason }
progress-answered = { $step }：已回答
summary-only = 按维度只审查了：{ $list }。critic 已通读全文；其他位置的 finding 保持原样。
op-choose = 选定方案
op-write = 以自己的措辞决定
op-accept = 接受
op-reject = 拒绝
op-defer = 推迟
op-answer = 回答问题
op-assign = 指派问题
op-defer-question = 推迟问题
op-strike = 划去 finding
op-add = 添加 finding
op-stop = 停止 critic 循环
op-clear = 撤回决定
op-clear-question = 重新打开问题
op-undo = 撤销
op-redo = 重做
op-bulk = 一次 { $count } 项决定
