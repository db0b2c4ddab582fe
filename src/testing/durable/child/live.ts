import { join } from 'node:path';
import { hasErrorMarker, RunLostError } from '../../../core/error/index.ts';
import type { EvaluateOptions } from '../../../core/evaluation/index.ts';
import { type Filesystem, MemoryFilesystem } from '../../../core/filesystem/index.ts';
import { present } from '../../../core/internal/index.ts';
import {
  type ApprovalHandler,
  Deadline,
  type FeedbackProvider,
  type RunJournal,
} from '../../../core/runtime/index.ts';
import { Session } from '../../../core/session/index.ts';
import { type CompletionChecker, CompletionVerdict, type PromptResponse } from '../../../core/tool/index.ts';
import { cancelRun, resumeRun, sayToRun } from '../../../durable/index.ts';
import { HostFilesystemClass, openLeasedWorkspace } from '../../../host/index.ts';
import { createManualClock } from '../../doubles/manual-clock.ts';
import { cancelName, exits, type Life, type RunLeft, saidInput, sayName, startFiles } from '../life.ts';
import { Effects } from './effects.ts';
import { matrixModel } from './model.ts';
import { onceModel, oncePrompt } from './once.ts';
import { openJournal, withPoints } from './open-journal.ts';
import { Points } from './points.ts';
import { matrixPrompt } from './prompt.ts';
import { readLeft, writeLeft } from './run-left.ts';
import { Counted, lastCount, Received } from './state.ts';

const sessionId = 'matrix-session';
const deadlineMs = 3_600_000;

/** Lives until the runs are done, one of them fails, or the stroke. @returns the exit code. */
export async function live(life: Life): Promise<number> {
  const clock = createManualClock();
  const points = new Points(life.stroke, clock);
  const opened = await openJournal(life);
  if (life.cancels === true || life.says === true) {
    const code = await speak(life, opened);
    await opened[Symbol.asyncDispose]?.();
    return code;
  }
  const journal = withPoints(opened, points);
  const begun = await runsBegun(journal, life.runs);
  const session = new Session({ id: sessionId, clock });
  session.dispatcher.subscribe(Counted, (counted) => {
    points.pass('subscriber in');
    session.dispatch(Received, counted);
    points.pass('subscriber out');
  });
  let code: number = exits.finished;
  // The runs before the last one that has begun are done.
  for (const runId of life.runs.slice(Math.max(0, begun - 1))) {
    const isBegun = life.runs.indexOf(runId) < begun;
    const left = await runOnce({ life, points, journal, session, clock, runId, isBegun });
    writeLeft(life.folder, runId, left);
    if (left.codes !== undefined) {
      code = exits.failed;
      break;
    }
  }
  await opened[Symbol.asyncDispose]?.();
  return code;
}

/** Cancels the last run of another process, or says something to it. @returns the exit code. */
async function speak({ cancels, folder, runs }: Life, journal: RunJournal): Promise<number> {
  const name = cancels === true ? cancelName : sayName;
  const run = { journal, runId: runs.at(-1) ?? '', by: 'another process' };
  try {
    await (cancels === true ? cancelRun(run) : sayToRun({ ...run, input: saidInput }));
    writeLeft(folder, name, { changed: [] });
    return exits.finished;
  } catch (error) {
    writeLeft(folder, name, { codes: codesOf(error), changed: [] });
    return exits.failed;
  }
}

/** How many of the runs have begun. */
async function runsBegun(journal: RunJournal, runs: readonly string[]): Promise<number> {
  let begun = 0;
  for (const runId of runs) if ((await journal.read(runId)).length > 0) begun += 1;
  return begun;
}

interface OneRun {
  readonly life: Life;
  readonly points: Points;
  readonly journal: RunJournal;
  readonly session: Session;
  readonly clock: ReturnType<typeof createManualClock>;
  readonly runId: string;
  readonly isBegun: boolean;
}

async function runOnce(run: OneRun): Promise<RunLeft> {
  const { life, points, session } = run;
  const changed: string[] = [];
  let opened: OpenedFiles | undefined;
  try {
    opened = await openFiles(life, run.runId, run.journal, points);
    const { text, finishReason, usage, conversation } = await evaluate(run, opened.filesystem, changed);
    const files = await opened.read();
    const { slices } = session.exportState({ includeLogs: true });
    const answers = await answersOf(run);
    return { text, finishReason, usage, conversation, slices, answers, ...files, changed };
  } catch (error) {
    const codes = codesOf(error);
    const isClosed =
      RunLostError.isInstance(error) && life.files === 'memory' && opened !== undefined
        ? await refusesAll(session, opened.filesystem)
        : undefined;
    return {
      codes,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      ...present({ isClosed }),
      changed,
    };
  } finally {
    await opened?.close();
  }
}

/** The files of a run. */
interface OpenedFiles {
  readonly filesystem: Filesystem;
  /** What they hold at the end; nothing for a folder, which the parent reads. */
  read(): Promise<Pick<RunLeft, 'files' | 'directories'>>;
  close(): Promise<void>;
}

/** Opens the files of a run: the folder, or those in memory as the run before left them. */
async function openFiles(
  { folder, stateFolder, files, runs }: Life,
  runId: string,
  journal: RunJournal,
  points: Points,
): Promise<OpenedFiles> {
  if (files === 'folder') {
    const root = join(folder, 'work');
    const options = { root, stateDirectory: stateFolder, journal };
    const filesystem = new HostFilesystemClass(
      await openLeasedWorkspace(options, (failpoint) => points.pass(`disk ${failpoint}`)),
    );
    return {
      filesystem,
      read: async () => ({}),
      close: async () => filesystem[Symbol.asyncDispose](),
    };
  }
  const before = runs[runs.indexOf(runId) - 1];
  const left = before === undefined ? undefined : readLeft(folder, before);
  const filesystem = new MemoryFilesystem({ files: left?.files ?? startFiles });
  for (const directory of left?.directories ?? []) await filesystem.mkdir(directory);
  return { filesystem, read: () => contentOf(filesystem), close: async () => undefined };
}

async function contentOf(filesystem: Filesystem): Promise<Pick<RunLeft, 'files' | 'directories'>> {
  const files: Record<string, string> = {};
  const directories: string[] = [];
  const visit = async (directory: string): Promise<void> => {
    for (const { name, kind } of await filesystem.list(directory)) {
      const path = directory === '.' ? name : `${directory}/${name}`;
      if (kind === 'directory') {
        directories.push(path);
        await visit(path);
      } else files[path] = (await filesystem.read(path)).text;
    }
  };
  await visit('.');
  return { files, directories };
}

async function evaluate(run: OneRun, filesystem: Filesystem, changed: string[]): Promise<PromptResponse> {
  const { life, points, journal, runId } = run;
  const effects = new Effects(life.folder);
  const isOnce = life.script === 'once';
  const prompt = isOnce
    ? oncePrompt(points, effects)
    : matrixPrompt({ filesystem, points, effects, folder: life.folder });
  const adapter = isOnce ? onceModel(points, runId) : matrixModel(points);
  const options = runOptions(run, effects, changed);
  return run.isBegun
    ? resumeRun<unknown, ApprovalHandler>({
        ...options,
        journal,
        runId,
        adapter,
        prompt,
        ...present({ files: life.resumedFiles }),
      })
    : adapter.evaluate(prompt, { ...options, journal, runId, input: runId });
}

/** The options of a run, the same when it is resumed. */
function runOptions(
  { points, session, clock }: OneRun,
  effects: Effects,
  changed: string[],
): EvaluateOptions {
  return {
    session,
    clock,
    signal: points.signal,
    limits: { budget: { maxTotalTokens: 100_000 }, deadline: Deadline.after(deadlineMs, clock) },
    context: { overflow: 'drop-tool-results' },
    approve: ({ callId }) => {
      points.pass('asked before');
      effects.add('asked', callId);
      points.pass('asked after');
      return { approved: true };
    },
    feedback: [counting(points)],
    completion: sentBackOnce(points),
    observers: [
      { onEvent: (event) => void (event.type === 'run-resumed' && changed.push(...event.changed)) },
    ],
  };
}

function counting(points: Points): FeedbackProvider {
  return {
    name: 'counting',
    triggers: { everyCalls: 2 },
    provide: ({ calls }) => {
      points.pass('feedback in');
      return { message: `That makes ${calls.length} calls.` };
    },
  };
}

function sentBackOnce(points: Points): CompletionChecker {
  return {
    name: 'sent-back-once',
    check: ({ check, session }) => {
      points.pass('completion in');
      return check === 1
        ? CompletionVerdict.incomplete(`Look again at ${lastCount(session)}.`)
        : CompletionVerdict.complete();
    },
  };
}

/** How many answers of the model the rows of the run have. */
async function answersOf({ journal, runId }: OneRun): Promise<number> {
  const rows = await journal.read(runId);
  return rows.filter(({ line }) => {
    const { type, error } = JSON.parse(line) as { readonly type: string; readonly error?: unknown };
    return type === 'response' && error === undefined;
  }).length;
}

/** Codes of an error and of its causes. */
function codesOf(error: unknown): readonly string[] {
  const codes: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause)
    codes.push('code' in each ? String(each.code) : each.name);
  return codes;
}

/** Whether session and files throw that the run was lost. */
async function refusesAll(session: Session, filesystem: Filesystem): Promise<boolean> {
  const isLost = (error: unknown): boolean => hasErrorMarker(error, 'RunLostError');
  try {
    session.dispatch(Received, { count: 0, by: 'none' });
    return false;
  } catch (error) {
    if (!isLost(error)) return false;
  }
  return filesystem.write('lost.txt', 'lost').then(() => false, isLost);
}
