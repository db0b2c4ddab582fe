import { readLeft } from '../child/run-left.ts';
import { exits, saidInput, sayName } from '../life.ts';
import type { CaseFolder } from './case-folder.ts';
import { readEnd } from './end-of-case.ts';
import { expectThat, oneRun, type Play } from './play.ts';
import { begunPoints, whileStopped } from './play-journals.ts';
import type { StartedLife } from './start-life.ts';

/** Where the life is killed that takes what was said: around the appends of its first rows. */
const strokes: readonly (string | undefined)[] = [
  'append before:1',
  'append after:1',
  'append before:2',
  'append while:2',
  'append after:2',
  'model in:1',
  'append after:3',
];

/**
 * Says something to a run while its owner is stopped, and kills the owner and the one that continues, or wakes the owner. Its model, however the run ends, has read what was said,
 * once, and never between a call and its result.
 */
export async function saidToRun(play: Play): Promise<void> {
  let number = 0;
  const sayAt = async (
    _at: string,
    folder: CaseFolder,
    owner: StartedLife,
    where: readonly string[],
  ): Promise<void> => {
    number += 1;
    const stroke = strokes[number % (strokes.length + 1)];
    await folder.live({ isContemporary: true, says: true });
    const refused = readLeft(folder.path, sayName)?.codes ?? [];
    const path = [...where, stroke === undefined ? 'woken' : `kill ${stroke}`];
    owner.signal(stroke === undefined ? 'SIGCONT' : 'SIGKILL');
    const { code, problems } = await owner.ended;
    if (stroke === undefined) {
      expectThat(path, 'the owner that is woken ends its run', code === exits.finished, {
        expected: exits.finished,
        actual: code ?? problems,
      });
    } else await folder.live({ stroke: { at: stroke, do: 'kill' } });
    // One that has ended continues with what came too late for it.
    await play.finish(folder, path);
    checkEnd(folder, path, refused);
    play.report(path, 'same');
  };
  await whileStopped(play, sayAt, begunPoints);
}

function checkEnd(folder: CaseFolder, where: readonly string[], refused: readonly string[]): void {
  const { changed = [], conversation = [] } = readLeft(folder.path, 'run') ?? {};
  const places = conversation.flatMap((item, index) =>
    JSON.stringify(item).includes(saidInput) ? [index] : [],
  );
  // It had its answer by then.
  const expected = refused.includes('run-ended') ? 0 : 1;
  expectThat(where, 'the model reads once what was said', places.length === expected, {
    expected,
    actual: { places: places.length, refused },
  });
  const before = conversation.slice(0, places[0] ?? 0);
  const open = callIds(before, 'assistant').filter((id) => !callIds(before, 'tool-result').includes(id));
  expectThat(where, 'no call is open where it is said', open.length === 0, { expected: [], actual: open });
  expectThat(where, 'the run that continues is as it was', changed.length === 0, {
    expected: [],
    actual: changed,
  });
  const { effects } = readEnd(folder.path, oneRun);
  const twice = effects.filter((line, index) => effects.indexOf(line) !== index);
  expectThat(where, 'no effect outside happens twice', twice.length === 0, { expected: [], actual: twice });
}

/** Ids of the calls, or of the results, that a conversation has. */
function callIds(conversation: readonly unknown[], of: 'assistant' | 'tool-result'): readonly string[] {
  return conversation.flatMap((item) => {
    const { type, callId, content } = Object(item);
    if (type !== of) return [];
    if (of === 'tool-result') return [String(callId)];
    const parts: readonly unknown[] = content;
    return parts.flatMap((part) => (Object(part).type === 'tool-call' ? [String(Object(part).callId)] : []));
  });
}
