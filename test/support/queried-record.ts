import {
  CompletionVerdict,
  MemoryFilesystem,
  PolicyDecision,
  Session,
  type ToolPolicy,
} from 'weakincentives';
import { runRecorder } from 'weakincentives/record';
import {
  type Act,
  type RandomCall,
  type RandomRun,
  randomAdapter,
  randomPrompt,
  randomSlices,
} from './random-runs.ts';

const call = (acts: readonly Act[], more: Partial<RandomCall> = {}): RandomCall => ({
  acts,
  ends: 'ok',
  inside: [],
  ...more,
});

/** Parallel calls of which two conflict, one that throws, and one that a policy denies because of the one before. */
const script: RandomRun = [
  [
    call([
      { do: 'read-file', path: 'a.md' },
      { do: 'write', path: 'a.md', text: 'new\u001b[31m' },
      { do: 'put', key: 'a', value: 1 },
    ]),
    call([
      { do: 'read-file', path: 'a.md' },
      { do: 'read-row', key: 'a' },
    ]),
    call([{ do: 'log', key: 'b' }]),
  ],
  [call([], { ends: 'throw' })],
  [call([{ do: 'add', value: 3 }])],
  [call([{ do: 'clear' }])],
];

/** What asks for an approval of every call that lists, and denies nothing. */
const careful: ToolPolicy = {
  name: 'careful',
  check: ({ params }) =>
    JSON.stringify(params).includes('list') ? PolicyDecision.ask('Look at it.') : PolicyDecision.allow(),
};

/**
 * The lines of a record that has rows for every table of `wink query`.
 * @param redact as of `evaluate`.
 */
export async function queriedRecord(redact?: (text: string) => string): Promise<readonly string[]> {
  const lines: string[] = [];
  const session = new Session();
  for (const slice of randomSlices) session.install(slice);
  const filesystem = new MemoryFilesystem({ files: { 'a.md': 'one\ntwo\n', 'docs/b.md': 'b\n' } });
  let checks = 0;
  await randomAdapter([
    [call([{ do: 'list' }]), call([], { inside: [[call([{ do: 'log', key: 'a' }])]] })],
    ...script,
  ]).evaluate(randomPrompt(filesystem, [careful]), {
    session,
    input: 'Go.',
    observers: [runRecorder({ write: (line) => void lines.push(line) })],
    approve: () => ({ approved: true }),
    completion: {
      name: 'twice',
      check: () => {
        checks += 1;
        return checks > 1 ? CompletionVerdict.complete() : CompletionVerdict.incomplete('Once more.');
      },
    },
    ...(redact === undefined ? {} : { redact }),
  });
  return lines;
}
