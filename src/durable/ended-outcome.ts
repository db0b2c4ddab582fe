import type { EvaluateOptions } from '../core/evaluation/index.ts';
import { none, present } from '../core/internal/index.ts';
import type { Prompt } from '../core/prompt/index.ts';
import type { ConversationItem, SuspendedRun } from '../core/runtime/index.ts';
import { parseInput } from '../core/schema/index.ts';
import { systemClock } from '../core/session/index.ts';
import type { PromptResponse } from '../core/tool/index.ts';
import { recordedResponse, recordedTurn } from '../record/index.ts';
import type { ResumeAnswer } from './approvals/answer-approvals.ts';
import { openQuestions } from './approvals/asked-questions.ts';
import { isExpired } from './rows/recorded-answers.ts';
import type { RunRows } from './rows/run-rows.ts';

/** What decides whether a run is needed again to say how it ended. */
interface Asked<Output> extends Pick<EvaluateOptions, 'clock' | 'limits' | 'session'> {
  readonly prompt: Prompt<Output>;
  readonly answers?: readonly ResumeAnswer[];
}

/**
 * How a run has ended that has nothing to continue with, as its last rows say: its answer, or the questions that still wait. Undefined: it continues, or what its caller wants is made from all
 * rows, such as the state of a session that was given.
 */
export async function endedOutcome<Output>(
  rows: RunRows,
  asked: Asked<Output>,
): Promise<PromptResponse<Output> | SuspendedRun | undefined> {
  if (asked.session !== undefined) return undefined;
  return rows.end?.outcome === 'suspended' ? stillSuspended(rows, asked) : answered(rows, asked);
}

function stillSuspended(
  rows: RunRows,
  { answers = none, clock = systemClock }: Asked<unknown>,
): SuspendedRun | undefined {
  const { answers: kept, end, header, pending, questions } = rows;
  const nowMs = clock.now();
  const isOpen = (id: string): boolean => {
    const question = questions.get(id);
    return question !== undefined && !kept.has(id) && !isExpired(question, nowMs);
  };
  if (end === undefined || answers.length > 0 || !pending.every(isOpen)) return undefined;
  return Object.freeze({
    finishReason: 'suspended',
    promptName: header.promptName,
    runId: header.runId,
    pending: openQuestions(rows),
    usage: end.usage,
    conversation: conversationOf(rows),
  });
}

async function answered<Output>(
  rows: RunRows,
  { limits, prompt }: Asked<Output>,
): Promise<PromptResponse<Output> | undefined> {
  const { end, root } = rows;
  const last = root.responses.at(-1)?.row;
  // What the run has cost is counted again by the budget, and outputs of hosted tools are put together from all turns.
  const isWhole = limits?.budget === undefined && root.responses.every(({ row }) => row.hosted === undefined);
  if (end?.outcome !== 'finished' || last?.finishReason === undefined || !isWhole) return undefined;
  const output = await outputOf(end.output, prompt);
  if (output === undefined) return undefined;
  return Object.freeze({
    promptName: rows.header.promptName,
    text: end.text ?? '',
    output: output.value,
    hostedOutputs: Object.freeze({}),
    usage: end.usage,
    finishReason: last.finishReason,
    ...present({ models: modelsOf(rows) }),
    conversation: conversationOf(rows),
  });
}

/** The models that answered; undefined where the run had one. */
function modelsOf({ header, root }: RunRows): readonly string[] | undefined {
  if (header.models === undefined) return undefined;
  return Object.freeze([...new Set(root.responses.flatMap(({ row }) => row.answeredBy ?? none))]);
}

/** Undefined where the answer does not fit the schema of the prompt any more. */
async function outputOf<Output>(
  json: NonNullable<RunRows['end']>['output'],
  { output }: Prompt<Output>,
): Promise<{ readonly value: Output } | undefined> {
  // Without an output schema the type of the output is undefined.
  if (output === undefined) return { value: undefined as Output };
  if (json === undefined) return undefined;
  const parsed = await parseInput(output.compiled, json);
  return parsed.ok ? { value: parsed.value } : undefined;
}

/** What was said, with the last answer. */
function conversationOf({ root }: RunRows): readonly ConversationItem[] {
  const last = root.responses.at(-1);
  if (last === undefined) return none;
  const { content, raw } = recordedTurn(recordedResponse(last.row));
  const said: ConversationItem = { type: 'assistant', content, ...present({ raw }) };
  return Object.freeze([...(last.request?.conversation ?? none), said]);
}
