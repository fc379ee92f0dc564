"""Machine code that computes a batch, and streams results while it computes the next ones.

`_streams` explains how. The first block of states uses ordinary stores, since nothing may be
written in front of it; so do the last states if they are fewer than a block.
"""

from __future__ import annotations

STREAMED_BATCH = "armdyn_streamed_batch"

# Send the waiting results, with the part of their first line that the previous block left.
_FLUSH = """\
define internal void @armdyn_flush(ptr %words, ptr %sizes, i64 %inputs, i64 %operands) nounwind {
entry:
  %from.p = getelementptr ptr, ptr %words, i64 $waiting
  %from = load ptr, ptr %from.p
  %none = icmp eq ptr %from, null
  br i1 %none, label %done, label %next
next:
  %k = phi i64 [ %inputs, %entry ], [ %k2, %next ]
  %rows = phi ptr [ %from, %entry ], [ %rows2, %next ]
  %j = sub i64 %k, %inputs
  %place = add i64 %j, $places
  %to.p = getelementptr ptr, ptr %words, i64 %place
  %to = load ptr, ptr %to.p
  %to.number = ptrtoint ptr %to to i64
  %inside = and i64 %to.number, $in_line
  %back = sub i64 0, %inside
  %line = getelementptr i8, ptr %to, i64 %back
  %begin.at = sub i64 $line, %inside
  %begin = getelementptr i8, ptr %rows, i64 %begin.at
  %size.p = getelementptr i64, ptr %sizes, i64 %k
  %size = load i64, ptr %size.p
  %numbers = shl i64 %size, $log2_lanes
  %before = lshr i64 %inside, $log2_bytes
  %all = add i64 %numbers, %before
  call void @armdyn_stream(ptr %line, ptr %begin, i64 %all)
  %lines = add i64 %size, $lines_in_page
  %pages = and i64 %lines, -$lines_in_page
  %bytes = shl i64 %pages, $log2_line
  %rows2 = getelementptr i8, ptr %rows, i64 %bytes
  %k2 = add i64 %k, 1
  %more = icmp slt i64 %k2, %operands
  br i1 %more, label %next, label %sent
sent:
  store ptr null, ptr %from.p
  br label %done
done:
  ret void
}
"""

# The arguments are those of `armdyn_batch`, preceded by the program's own loop over blocks. `near`
# is a multiple of a block. If no bound on the inputs guarantees finite results, that loop checks
# the results as it goes. If there is a bound but the inputs exceed it, the results are checked
# after they are stored.
_STREAMED = """\
define i32 @armdyn_streamed_batch(ptr %streaming, ptr %loop, ptr %bases, ptr %sizes, ptr %steps,
                                  i64 %inputs, i64 %operands, i64 %first, i64 %past, i64 %near,
                                  $integer %ordinary, i64 %room, $integer %largest) nounwind {
entry:
  %scratch = alloca i8, i64 %room, align $page
  %args = alloca ptr, i64 %operands
  %n.words = add i64 %operands, $places
  %words = alloca i64, i64 %n.words
  %scratch.p = getelementptr ptr, ptr %words, i64 $scratch
  %waiting.p = getelementptr ptr, ptr %words, i64 $waiting
  %judge.p = getelementptr ptr, ptr %words, i64 $judge
  %largest.p = getelementptr i64, ptr %words, i64 $largest
  %never = icmp slt $integer %ordinary, 0
  %judge = select i1 %never, ptr @armdyn_largest, ptr null
  store ptr %scratch, ptr %scratch.p
  store ptr null, ptr %waiting.p
  store ptr %judge, ptr %judge.p
  store $integer 0, ptr %largest.p
  %eight = add i64 %first, $lanes
  %few = icmp slt i64 %past, %eight
  %second = select i1 %few, i64 %past, i64 %eight
  %bad0 = call i32 @armdyn_batch(ptr %loop, ptr %bases, ptr %sizes, ptr %steps, i64 %inputs,
                                 i64 %operands, i64 %first, i64 %second, i64 %near,
                                 $integer %ordinary, i64 0, $integer %largest)
  %refused0 = icmp eq i32 %bad0, $bad_input
  br i1 %refused0, label %leave, label %head
head:
  %i = phi i64 [ %second, %entry ], [ %next, %tail ]
  %bad = phi i32 [ %bad0, %entry ], [ %mark, %tail ]
  %left = sub i64 %past, %i
  %whole = and i64 %left, -$lanes
  %some = icmp sgt i64 %whole, 0
  br i1 %some, label %body, label %rest
body:
  %fits = icmp slt i64 %near, %whole
  %n = select i1 %fits, i64 %near, i64 %whole
  call void @armdyn_place(ptr %args, ptr %bases, ptr %sizes, i64 %operands, i64 %i)
  call void %streaming(ptr %args, i64 %n, ptr %words)
  %large = call $integer @armdyn_largest_of(ptr %args, ptr %sizes, i64 0, i64 %inputs, i64 %n)
  %refused = icmp sgt $integer %large, %largest
  br i1 %refused, label %stop, label %good
good:
  %sure = icmp sle $integer %large, %ordinary
  br i1 %sure, label %tail, label %unsure
unsure:
  br i1 %never, label %asked, label %judged
asked:
  %seen0 = load $integer, ptr %largest.p
  br label %known
judged:
  call void @armdyn_flush(ptr %words, ptr %sizes, i64 %inputs, i64 %operands)
  %seen1 = call $integer @armdyn_largest_of(ptr %args, ptr %sizes, i64 %inputs, i64 %operands, \
i64 %n)
  br label %known
known:
  %seen = phi $integer [ %seen0, %asked ], [ %seen1, %judged ]
  %fine = icmp sle $integer %seen, $finite
  %mark2 = select i1 %fine, i32 %bad, i32 $bad_result
  br label %tail
tail:
  %mark = phi i32 [ %bad, %good ], [ %mark2, %known ]
  %next = add i64 %i, %n
  br label %head
stop:
  call void @armdyn_flush(ptr %words, ptr %sizes, i64 %inputs, i64 %operands)
  br label %leave
rest:
  call void @armdyn_flush(ptr %words, ptr %sizes, i64 %inputs, i64 %operands)
  %bad1 = call i32 @armdyn_batch(ptr %loop, ptr %bases, ptr %sizes, ptr %steps, i64 %inputs,
                                 i64 %operands, i64 %i, i64 %past, i64 %near,
                                 $integer %ordinary, i64 0, $integer %largest)
  %refused1 = icmp eq i32 %bad1, $bad_input
  %worse = or i32 %bad, %bad1
  %verdict = select i1 %refused1, i32 $bad_input, i32 %worse
  br label %leave
leave:
  %told = phi i32 [ %bad0, %entry ], [ $bad_input, %stop ], [ %verdict, %rest ]
  fence seq_cst
  ret i32 %told
}
"""

# These functions call those of `_batch_code` and are filled in together with them.
STREAMED_CODE = _FLUSH + _STREAMED
