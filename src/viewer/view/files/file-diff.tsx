import type { VNode } from 'preact';
import { cutAfter, readableBytes } from '../../../core/internal/index.ts';
import type { RecordedContent, RecordedFileChange } from '../../../record/index.ts';
import { type DiffPart, diffLines, shownDiff, textsOf } from '../../model/line-diff.ts';
import { visible } from '../../model/visible.ts';
import { many } from '../../model/words.ts';
import { useMemo } from '../drawing/hooks.ts';
import { Capped } from '../parts/parts.tsx';

const lineLimit = 400;
const maxLineCharacters = 2000;

/** What an attempt changed in one file, line by line. */
export function FileDiff({ change }: { readonly change: RecordedFileChange }): VNode {
  const diff = useMemo(() => {
    const texts = textsOf(change);
    return texts === undefined ? undefined : shownDiff(diffLines(texts.before, texts.after));
  }, [change]);
  return (
    <div class="diff">
      <header>
        {visible(change.path)}
        {change.entry === 'directory' ? '/' : ''}
        <small>
          {visible(change.from === undefined ? change.kind : `${change.kind}, from ${change.from}`)}
          {diff === undefined || diff.parts.length === 0 ? '' : `  +${diff.added} −${diff.removed}`}
        </small>
      </header>
      {diff === undefined ? (
        <p class="gap">{`No line difference: ${contentWords(change.before)} before, ${contentWords(change.after)} after.`}</p>
      ) : diff.parts.length === 0 ? (
        <p class="gap">
          {change.entry === 'directory' ? 'An empty directory.' : 'The content is the same, or empty.'}
        </p>
      ) : (
        <Capped
          items={diff.parts}
          limit={lineLimit}
          noun="line"
          wrap={(button) => <p class="gap">{button}</p>}
        >
          {(part, index) => <Line key={index} part={part} />}
        </Capped>
      )}
    </div>
  );
}

/** What is known of a content that is not shown. */
export function contentWords(content: RecordedContent | undefined): string {
  if (content === undefined) return 'nothing';
  const size = readableBytes(content.bytes);
  if (content.isOmitted === true) return `${size} that were too large for the record`;
  if (content.text === undefined) return `${size} of binary content`;
  return content.isRedacted === true ? `${size}, redacted` : size;
}

function Line({ part }: { readonly part: DiffPart }): VNode {
  if (part.op === 'gap') return <div class="gap">{`${many(part.lines, 'line')} unchanged`}</div>;
  const text = cutAfter(part.text, maxLineCharacters);
  const code = <code>{visible(text) || ' '}</code>;
  const sign = part.op === 'added' ? '+' : part.op === 'removed' ? '−' : '';
  return (
    <div class={`line ${part.op}`}>
      <span>{part.before ?? ''}</span>
      <span>{part.after ?? ''}</span>
      <span class="sign">{sign}</span>
      {part.op === 'added' ? <ins>{code}</ins> : part.op === 'removed' ? <del>{code}</del> : code}
    </div>
  );
}
