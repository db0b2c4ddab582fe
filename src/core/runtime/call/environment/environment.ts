import type { FileChange } from '../../../filesystem/index.ts';
import type { JsonValue } from '../../../schema/index.ts';
import type { Clock, EventLoopYield, IdSource } from '../../../session/index.ts';
import type {
  AnyTool,
  EvaluationOrigin,
  Logger,
  NestedAdapter,
  OuterToolCall,
  PromptPort,
  UserAnswer,
  UserQuestion,
} from '../../../tool/index.ts';
import type { KeptResults, KeptResultsOptions } from '../../context/kept-results.ts';
import type { TouchedFiles } from '../../context/touched-files.ts';
import type { BareEvent, RunEvent, RunPathStep } from '../../events/run-event.ts';
import type { FeedbackRunner } from '../../feedback/feedback-runner.ts';
import type { Deadline } from '../../limits/deadline.ts';
import type { RunBudget } from '../../limits/run-budget.ts';
import type { RunStop } from '../../limits/run-stop.ts';
import type { ModelSequence } from '../../model/model-sequence.ts';
import type { VisiblePrompt } from '../../model/visible-prompt.ts';
import type { EventType } from '../../observer/event-types.ts';
import type { ObserverCalls } from '../../observer/run-observer.ts';
import type { Redactor } from '../../redaction/index.ts';
import type { RunInput } from '../../said/run-input.ts';
import type { CallReporter } from '../report/call-reporter.ts';
import type { OuterCall } from '../tool-call/outer-call.ts';
import type { TransactionRoots } from '../transaction/transaction.ts';
import type { CallHooks } from './call-hooks.ts';
import type { EarlierCalls } from './earlier-calls.ts';
import type { EndedCalls } from './ended-calls.ts';
import type { RunSuspension } from './run-suspension.ts';

/** What a policy wants someone to decide. */
export interface ApprovalRequest {
  readonly callId: string;
  readonly toolName: string;
  readonly params: JsonValue;
  /** The calls that it runs inside of, outermost first; empty for a call of the evaluation on the root session. */
  readonly path: readonly OuterToolCall[];
  readonly policy: string;
  /** Name of the prompt whose policy asks, where that is an outer one. Absent: the prompt of the call. */
  readonly policyPrompt?: string;
  readonly reason: string;
  /** The changes to files that wait for the answer; absent when the handler has not run yet. */
  readonly changes?: readonly FileChange[];
}

/** The answer to an {@link ApprovalRequest}. */
export type ApprovalAnswer = boolean | { readonly approved: boolean; readonly reason?: string };

/** Decides what a policy asks. May throw: the call is then denied. Deadlines keep running while it thinks. */
export type ApprovalHandler = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => ApprovalAnswer | Promise<ApprovalAnswer>;

/** Asks the user for a handler. May throw: the handler gets no answer. `path` has the calls that the asking one runs inside of, outermost first. */
export type UserAsker = (
  question: UserQuestion,
  call: {
    readonly callId: string;
    readonly toolName: string;
    readonly path: readonly OuterToolCall[];
    /** Aborted when no answer is wanted any more. */
    readonly signal: AbortSignal;
  },
) => UserAnswer | Promise<UserAnswer>;

/** What the calls of a run are run with, as the run was asked: an evaluation inside a call has the same but for its own deadline. */
export interface CallSettings {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly deadline: Deadline | undefined;
  readonly approve: ApprovalHandler | undefined;
  /** Undefined: no user can be asked. */
  readonly askUser: UserAsker | undefined;
  /** Whether policies are held to; otherwise what they would have refused or asked is only reported. */
  readonly enforce: boolean;
  /** Calls of one turn that may run at the same time, at least 1. */
  readonly maxConcurrentCalls: number;
  /** How many characters of a result the model may get, where the tool does not say. */
  readonly maxResultCharacters: number;
  /** Which results are kept for the model to read in parts; undefined: none are. */
  readonly results?: KeptResultsOptions | undefined;
  /** The observers of the run. */
  readonly observers: ObserverCalls;
  /** Types of the events that the run has an observer for. Others need not be built. */
  readonly eventTypes: ReadonlySet<EventType>;
  /** Passes an event on to the observers of the run, or to the evaluation around this one. Never throws. */
  passOn(event: RunEvent): void;
}

/** Everything the calls of one evaluation share. */
export interface EvaluationEnvironment extends Omit<CallSettings, 'results'> {
  readonly prompt: PromptPort;
  /** The rendered prompt as the model currently sees it. */
  readonly display: VisiblePrompt;
  /** The names of the tools that `toolChoice` allows, beside those of the runtime itself; undefined: all are. */
  readonly allowedTools: ReadonlySet<string> | undefined;
  /** The call that this evaluation runs inside of; undefined for one on a root session. */
  readonly outer: OuterCall | undefined;
  /** The calls that the evaluation runs inside of, outermost first. */
  readonly outerCalls: readonly OuterToolCall[];
  /** Makes what the handler of a call gets as its adapter. */
  evaluatorFor(call: OuterCall): NestedAdapter;
  readonly roots: TransactionRoots;
  /** Makes the ids of the records of calls. */
  readonly eventIds: IdSource;
  /** What the session events of the evaluation have in common. */
  readonly origin: EvaluationOrigin;
  readonly budget: RunBudget;
  /** The models that the evaluation asks in their order; undefined where there is one. */
  readonly models: ModelSequence | undefined;
  readonly eventLoop: EventLoopYield;
  readonly stop: RunStop;
  /** Takes the questions of policies in the place of `approve`: the run ends with them. Default: `approve` is asked. */
  readonly suspension?: RunSuspension | undefined;
  /** The feedback providers; undefined when there are none. */
  readonly feedback?: FeedbackRunner | undefined;
  /** The calls that have ended, for feedback providers and completion checkers; undefined when there are none of these. */
  readonly endedCalls?: EndedCalls | undefined;
  /** The long results of its calls; undefined where the model gets all of them at once. */
  readonly results?: KeptResults | undefined;
  /** The files that its calls have touched; undefined where nothing needs to know. */
  readonly touchedFiles?: TouchedFiles | undefined;
  /** Hooks of a journal and of observers. Default: none. */
  readonly hooks?: CallHooks | undefined;
  /** What people say to the run while it runs, or when it is resumed. Undefined: nothing, as in an evaluation inside a call. */
  readonly input?: RunInput | undefined;
  /** Tells the observers what calls did; undefined when none wants to know. */
  readonly reporter?: CallReporter | undefined;
  /** Answers from the rows of an earlier run; undefined where there is none. */
  readonly earlier?: EarlierCalls | undefined;
  /** Takes out of records what must not leave; undefined when everything may. */
  readonly redactor: Redactor | undefined;
  /** Where the events of the evaluation happen; one frozen array for all of them. */
  readonly eventPath: readonly RunPathStep[];
  /** Tells the observers who want it what happens in the evaluation. The event becomes theirs: it is marked with the evaluation. Never throws. */
  emit(event: BareEvent): void;
  /** Back-pressure: resolves when the event consumer has caught up; undefined when it has. Default: none. */
  readonly ready?: (() => Promise<void> | undefined) | undefined;
  /** Tools whose values had no renderer, warned about once. */
  readonly warnedTools: Set<AnyTool>;
  /** Tools of which it was said that their calls make others wait. */
  readonly hintedTools: Set<AnyTool>;
}
