import { assertOptions, keptName, RunRefusedError, required } from '../core/error/index.ts';
import { present } from '../core/internal/index.ts';
import { assertRoom, findRun, type JournaledRun, type RunJournal, saidItem } from '../core/runtime/index.ts';
import { type Clock, randomIds, systemClock } from '../core/session/index.ts';
import type { InputPart } from '../core/tool/index.ts';
import { cancelledError, cancelMessage } from './rows/cancellation.ts';
import { readRunRows, unknownRun } from './rows/run-rows.ts';

/** Options of {@link sayToRun}. */
export interface SayToRunOptions {
  /** Keeps the run. */
  readonly journal: RunJournal;
  /** Name of the run. */
  readonly runId: string;
  /** What is said: one text, or several parts; 20,000 characters at most, data of images and files included. */
  readonly input: string | readonly InputPart[];
  /** Who says it, for observers and records; the model does not get it. 1 to 512 characters. Default: not said. */
  readonly by?: string;
  /**
   * Name of the message within its run: a second one of this name is not said again, also when the first one was taken. 1 to 512 characters, and not `cancel`. Default: a new id.
   */
  readonly id?: string;
  /** Default: the clock of the machine. */
  readonly clock?: Pick<Clock, 'now'>;
}

/** See on-demand.ts, through which it is loaded. */
export async function sayToRun(
  options: SayToRunOptions,
): Promise<{ readonly id: string; readonly waiting: number }> {
  assertOptions('sayToRun()', options, {
    journal: 'object!',
    runId: required(keptName),
    input: 'any',
    by: keptName,
    id: messageName,
    clock: 'object',
  });
  const { journal, runId, by, clock = systemClock, id = randomIds() } = options;
  const item = saidItem('sayToRun()', options.input);
  const run = await findRun(journal, runId);
  if (run === undefined) throw unknownRun(runId);
  const refusal = await refusalOf(run, journal);
  if (refusal !== undefined) {
    if (options.id !== undefined && (await wasTaken(journal, runId, id))) return { id, waiting: 0 };
    throw refusal;
  }
  const waiting = (await journal.messages(runId)).filter(({ kind }) => kind === 'say');
  if (!waiting.some((message) => message.id === id)) assertRoom(`The run "${runId}"`, waiting.length);
  const message = { id, kind: 'say', atMs: clock.now(), ...present({ by }), item } as const;
  const inbox = await journal.send(runId, message);
  // It may have been removed since.
  if (inbox === undefined) throw unknownRun(runId);
  return { id, waiting: inbox.waiting };
}

/** The message that cancels a run has this name. */
const messageName: typeof keptName = {
  ...keptName,
  isUsable: (value): value is string => keptName.isUsable(value) && value !== 'cancel',
  what: `${keptName.what}, and not "cancel"`,
};

/** Why a run takes no message; undefined when it does. */
async function refusalOf(
  { runId, info, isToolRuntime, status }: JournaledRun,
  journal: RunJournal,
): Promise<RunRefusedError | undefined> {
  const details = { runId };
  if (isToolRuntime === true) {
    return new RunRefusedError(
      'run-has-no-model',
      `The run "${runId}" is that of a tool runtime: the model is in another program. Say it there.`,
      { details },
    );
  }
  if (status === 'finished' || status === 'failed') {
    const how = status === 'finished' ? 'has its answer' : 'has failed';
    return new RunRefusedError(
      'run-ended',
      `The run "${runId}" ${how} and reads nothing more. Continue it with what there is to say: wink resume ${runId} --input TEXT, or input of resumeRun().`,
      { details },
    );
  }
  if (status === 'cancelled') {
    const { cancelled } =
      info?.['cancelled'] === undefined ? readRunRows(runId, await journal.read(runId)) : {};
    return cancelledError(runId, cancelled ?? Object(info?.['cancelled']));
  }
  const cancel = await cancelMessage(journal, runId);
  return cancel && cancelledError(runId, cancel);
}

/** Whether the model of a run has read a message of this name. */
async function wasTaken(journal: RunJournal, runId: string, id: string): Promise<boolean> {
  const rows = await journal.read(runId);
  return rows.length > 0 && readRunRows(runId, rows).taken.has(id);
}
