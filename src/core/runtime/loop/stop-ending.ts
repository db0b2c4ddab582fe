import type { PromptEvaluationErrorCode } from '../events/prompt-evaluation-error.ts';
import type { StopReason } from '../limits/run-stop.ts';

/** What a run that was stopped ends with. */
export interface StopEnding {
  readonly code: PromptEvaluationErrorCode;
  /** What happened, as the beginning of a sentence. */
  readonly what: string;
  /** More of it, for the end of the sentence, which it closes. */
  readonly why: string;
}

const endings: Readonly<Record<StopReason['kind'], Omit<StopEnding, 'why'>>> = {
  aborted: { code: 'evaluation-aborted', what: 'The run was aborted by its caller' },
  deadline: { code: 'evaluation-deadline-exceeded', what: 'The deadline passed' },
  budget: { code: 'evaluation-budget-exceeded', what: 'The budget was used up' },
  idle: { code: 'evaluation-idle', what: 'The run was idle for too long' },
  interrupted: { code: 'evaluation-interrupted', what: 'A tool call ended the run' },
};

/** What a run that was stopped for this reason ends with. */
export function endingOf(reason: StopReason): StopEnding {
  const hasStory = reason.kind === 'budget' || reason.kind === 'idle';
  return { ...endings[reason.kind], why: hasStory ? `: ${reason.cause.message}` : '.' };
}
