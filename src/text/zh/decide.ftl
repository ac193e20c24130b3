# 工作台的冲突、问题与输入框。
decide-nothing = 没有冲突，这里无需决定。F4 看问题，F5 看发现，w 看报告。
decide-nothing-yet = critic 结束后才汇总冲突。F2 显示运行进度。
decide-open = { $open } 项未决
decide-none-open = 无未决项
decide-reviewers = { $count } 位审查者意见不一
decide-one-reviewer = 一位审查者，{ $ways } 种做法
decide-options = 方案
decide-signs = 与原行对照：[-删去-] {"{"}+加入+{"}"}；粗体：原行没有
decide-remember = 无论选哪个都不可遗漏：
decide-absorbed = 已并入：{ $count }
decide-similar = 可能说的是同一件事：
decided-choice = 已决定：{ $label }
decided-own = 已决定：自己写
decided-rejected = 已决定：全部驳回
decided-accepted = 已决定：接受
decided-deferred = 已推迟
decided-own-words = 文字：
decided-reason = 理由：
decided-why-deferred = 推迟原因：
option-chosen = 已选
option-from = 来自{ $who }
option-rests = 第 { $line } 行：“{ $quote }”
option-rests-nowhere = 不以本文档的任何一行为依据
option-rests-unfound = 本文档中找不到：“{ $quote }”
option-says = 说法：{ $words }
option-says-above = 说法：见上文
option-touches = 可能影响：{ $id } 被引用于 { $places }
option-names = 可能影响：{ $id }，另见 { $places }
cited-at = { $name }（第 { $line } 行）
cited-line = 第 { $line } 行
cited-more = 另有 { $count } 处
quoted-missing = 文档中缺少：{ $what }
quoted-nowhere = 文档中没有这些文字。
text-more = （还有 { $count } 个字符）
said-lens = 视角 { $name }
said-critic = critic 第 { $round } 轮
said-person = 人
draft-kept-here = “{ $what }”有草稿；按 { $key } 打开
questions-nothing = 没有问题。F3 看冲突，F5 看发现，w 看报告。
questions-nothing-yet = critic 结束后才汇总问题。F2 显示运行进度。
question-policy = 政策问题：{ $topic ->
    [security] 安全
    [privacy] 隐私
    [money] 费用
    [law] 法律
    [product] 产品
   *[other] { $topic }
  }（只能由人回答）
question-ordinary = 问题
question-open-count = { $open } 项未决，其中 { $policy } 项阻止写入
question-open = 未决
question-answered = 已回答
question-blocks = 回答或说明推迟原因之前不能写入
question-may-stay = 可以不答：将以未回答写出
question-answer = 回答：
question-owner = 由谁回答：
question-no-owner = 尚未指定由谁回答；按 o 指定。
question-finding = { $id } 提问的缘由：
question-remember = 不可遗漏：
question-suggestion = 建议：
told-saved = 已保存：{ $what }
told-undone = 已撤销：{ $what }
told-redone = 已重做：{ $what }
told-conflicts-left = { $count ->
    [1] 还剩 1 个冲突
   *[other] 还剩 { $count } 个冲突
  }
told-policy-left = { $count ->
    [1] 还剩 1 个政策问题
   *[other] 还剩 { $count } 个政策问题
  }
told-next-conflicts = 接下来：{ $count ->
    [1] 1 个未决冲突
   *[other] { $count } 个未决冲突
  }（!）
told-next-policy = 接下来：{ $count ->
    [1] 1 个政策问题
   *[other] { $count } 个政策问题
  }（!）
told-questions-may-stay = { $count ->
    [1] 1 个问题可以不答
   *[other] { $count } 个问题可以不答
  }，w 看报告
told-all-decided = 没有未决事项，w 看报告
did-choose = { $id } { $label }
did-write = { $id } 自己写
did-accept = { $id } 接受
did-reject = { $id } 驳回
did-defer = { $id } 推迟
did-clear = { $id } 恢复未决
did-answer = { $id } 的回答
did-assign = { $id } 问题的负责人
did-defer-question = { $id } 的问题推迟
did-clear-question = { $id } 的问题恢复未决
did-strike = 划去：{ $id }
did-add = 自己的发现
did-stop = 停止轮次
did-bulk = 一次 { $count } 项决定
did-nothing = 无
entry-draft = 你的草稿
entry-begun = 以 { $label } 开头
entry-begun-all = 以全部方案开头
entry-begun-own = 你写的文字
entry-many = { $count } 条发现
why-saving = 正在保存
do-next-open = 下一个未决项
