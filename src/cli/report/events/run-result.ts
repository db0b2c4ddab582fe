import { describeError } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import { PromptEvaluationError } from '../../../core/runtime/index.ts';
import { failureLine, outcomeOf, type RunEnd, type RunOutcomeSummary } from '../../../record/index.ts';
import type { EndedRun } from '../../agent/evaluate-run.ts';
import { type Application, describeApplication, describeApplied } from '../../folder/apply-to-folder.ts';
import { exitCodes } from '../../process/environment.ts';
import type { Call } from '../calls/call.ts';
import type { Spending } from '../text/spending.ts';
import type { EndingRecord, ResultRecord } from './event-record.ts';

/** The last line of an event stream. */
export function toResult(run: EndedRun, spending: Spending): ResultRecord {
  const { application, response } = run;
  const { usage, cost, exceeded } = spending;
  return {
    type: 'command-result',
    ...codeOf(run),
    ...present({ text: response?.text }),
    usage,
    ...present({
      cost,
      budgetExceeded: exceeded,
      output: response?.output,
      hostedOutputs:
        response === undefined || Object.keys(response.hostedOutputs).length === 0
          ? undefined
          : response.hostedOutputs,
    }),
    changes: run.changes.map(({ path, kind, entry }) => ({ path, kind, entry })),
    ...present({ application: application.kind === 'off' ? undefined : application }),
  };
}

function codeOf(run: EndedRun): Pick<ResultRecord, 'exitCode' | 'outcome'> {
  const { application } = run;
  if (run.interruption !== undefined) return { exitCode: run.interruption.exitCode, outcome: 'interrupted' };
  if (run.failure !== undefined) return { exitCode: exitCodes.failed, outcome: 'failed' };
  if (run.suspended !== undefined) return { exitCode: exitCodes.suspended, outcome: 'suspended' };
  if (application.kind === 'conflict') return { exitCode: exitCodes.conflict, outcome: 'conflict' };
  if (application.kind === 'failed') return { exitCode: exitCodes.failed, outcome: 'failed' };
  return { exitCode: exitCodes.done, outcome: 'done' };
}

/** The lines for the error output when a run has ended whose report is events. */
export function endingLines(run: EndedRun): readonly string[] {
  const { application } = run;
  if (run.interruption === undefined && run.failure === undefined) return describeApplication(application);
  const end = run.interruption === undefined ? (run.failure ?? '') : `${run.interruption.kind}.`;
  return [end, ...writtenSoFar(application)];
}

/** What an interrupted run left on disk, if it was to write there. */
function writtenSoFar(application: Application): readonly string[] {
  if (application.kind === 'skipped') return ['no changes were written to the folder.'];
  const applied =
    application.kind === 'applied' || application.kind === 'conflict'
      ? describeApplied(application)
      : undefined;
  return applied === undefined ? [] : [`changes committed until then are in the folder: ${applied}.`];
}

/** What became of a run, and why. */
export function outcomeOfRun(
  run: EndedRun,
  agentName: string,
  calls: readonly Call[],
): RunOutcomeSummary<Call> {
  return outcomeOf({
    end: endOfRun(run, agentName),
    calls,
    argumentsOf: ({ argumentsKey }) => argumentsKey,
  });
}

function endOfRun(run: EndedRun, agentName: string): RunEnd {
  const { application, error, failure, interruption, suspended } = run;
  if (interruption !== undefined) {
    const how = interruption.kind === 'terminated' ? 'by a signal' : 'from the keyboard';
    return {
      kind: 'interrupted',
      message: `The run was ${interruption.kind} ${how}; what was running is rolled back.`,
    };
  }
  if (failure !== undefined) {
    const isOfRun = run.strays.length === 0 && run.conclusion?.failure === undefined;
    if (!isOfRun || !PromptEvaluationError.isInstance(error))
      return { kind: 'failed', message: sentenceOf(failure, agentName) };
    const cause =
      error.cause === undefined || error.message.includes(describeError(error.cause))
        ? ''
        : `\n${describeError(error.cause)}`;
    return { kind: 'failed', message: `${error.message}${cause}`, code: error.code, phase: error.phase };
  }
  if (suspended !== undefined) return { kind: 'waiting', questions: suspended.pending };
  const [first = '', ...more] = describeApplication(application);
  if (application.kind === 'conflict' || application.kind === 'failed')
    return { kind: application.kind, message: [sentenceOf(first, agentName), ...more].join('\n') };
  return { kind: 'finished' };
}

/** A failure as a sentence of its own: the title says already which agent it was. */
function sentenceOf(text: string, agentName: string): string {
  const start = `the run of ${agentName} failed: `;
  const rest = text.startsWith(start) ? text.slice(start.length) : text;
  return `${rest.charAt(0).toUpperCase()}${rest.slice(1)}`;
}

/** The outcome as the last event has it. */
export function endingRecord(outcome: RunOutcomeSummary<Call>): EndingRecord {
  const { kind, sentence, message, code, phase, call, failures } = outcome;
  return {
    kind,
    ...present({ sentence, message, code, phase, call: call === undefined ? undefined : callRecord(call) }),
    problems: failures.map(({ first, calls }) => ({
      toolName: first.toolName,
      arguments: first.subject,
      count: calls.length,
      calls: calls.map(({ number }) => number),
      turns: [...new Set(calls.map(({ turn }) => turn))],
      outcome: first.outcome ?? '',
      reason: failureLine(first),
    })),
  };
}

function callRecord({ number, toolName, subject, turn }: Call): NonNullable<EndingRecord['call']> {
  return { number, turn, toolName, arguments: subject };
}
