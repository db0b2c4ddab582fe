import { counted } from '../../internal/index.ts';
import { printable, printableLines } from '../process/plain-text.ts';
import type { TextStyle } from '../process/text-style.ts';
import { type CallRecord } from './call-record.ts';
import { whatWasSaid } from './call-words.ts';

/** Refused and rolled-back calls that are told in full. */
const MAX_TOLD_CALLS = 5;
/** Lines of what such a call was told. */
const MAX_TOLD_LINES = 12;

/** Of the run's own calls that were to change something and were not committed: what is left, and what the model was told. */
export function formatToldCalls(
  records: readonly CallRecord[],
  readingTools: ReadonlySet<string>,
  style: TextStyle,
): readonly string[] {
  const told = records.filter(({ outcome, toolName }) => {
    return outcome === 'denied' || (outcome === 'rolled-back' && !readingTools.has(toolName));
  });
  return told.slice(0, MAX_TOLD_CALLS).flatMap((record) => {
    const what = printable(`${record.toolName} ${record.subject}`.trim());
    const outcome =
      record.outcome === 'denied' ? `denied by ${printable(record.policy ?? 'a policy')}` : 'rolled back';
    const lines = printableLines(whatWasSaid(record)).split('\n');
    const rest = lines.length - MAX_TOLD_LINES;
    return [
      '',
      style(
        'warning',
        `Call ${record.number}, ${what}, was ${outcome}. ${leftText(record)} The model was told:`,
      ),
      ...lines.slice(0, MAX_TOLD_LINES).map((line) => `  ${line}`),
      ...(rest > 0 ? [`  … ${counted(rest, 'more line')}`] : []),
    ];
  });
}

/** What the call had done, and what is left of it. */
function leftText({ steps, standing }: CallRecord): string {
  const had = steps.length === 0 ? '' : `Before that it had ${steps.map(printable).join(', ')}`;
  if (standing.length === 0) return had === '' ? 'It left nothing behind.' : `${had}: all of it is undone.`;
  const left = `Left standing: ${standing.map(printable).join(', ')}.`;
  return had === '' ? left : `${had}. ${left}`;
}
