import { describeError } from '../../error/index.ts';
import { compileFileGlob, type Filesystem, type Glob } from '../../filesystem/index.ts';
import { freezeData, none, oneLine, withoutBlockTags } from '../../internal/index.ts';
import {
  type Clock,
  type ForkOptions,
  readOnlyView,
  type SessionFork,
  type SessionView,
} from '../../session/index.ts';
import type {
  BudgetTrackerPort,
  CallHistory,
  DeadlinePort,
  Logger,
  RecordedFeedback,
  ToolInvokedPayload,
} from '../../tool/index.ts';
import { recordError } from '../../tool/index.ts';
import { type RunStop, RunStoppedSignal } from '../limits/run-stop.ts';
import { type PromptWithDisplay, seenPrompt } from '../model/visible-prompt.ts';
import {
  type FeedbackProgress,
  FeedbackState,
  type FeedbackStep,
  FeedbackStepped,
  foldFeedback,
} from './feedback-progress.ts';
import type { Feedback, FeedbackContext, FeedbackProvider } from './feedback-provider.ts';
import { readFeedback } from './read-feedback.ts';

/** What feedback needs of an evaluation. */
interface FeedbackSurroundings extends PromptWithDisplay {
  readonly roots: {
    readonly session: { fork(options?: ForkOptions): SessionFork };
    readonly filesystem: Filesystem | undefined;
  };
  readonly endedCalls: { with(call: ToolInvokedPayload): CallHistory };
  readonly clock: Clock;
  readonly logger: Logger;
  readonly deadline: DeadlinePort | undefined;
  readonly budgetTracker: BudgetTrackerPort | undefined;
  readonly stop: RunStop;
  /** Where the progress is kept, as it is; undefined for an evaluation inside a call, whose progress ends with it. */
  readonly session: Pick<SessionView, 'slice' | 'dispatch'> | undefined;
}

interface Entry {
  readonly provider: FeedbackProvider;
  readonly glob: Glob | undefined;
}

/**
 * The feedback providers of one evaluation. `addTo` runs those that are due after a call, once, in the live run; `note`
 * counts the call, from its record alone, so that a resumed run counts the same. Neither throws.
 */
export class FeedbackRunner {
  readonly #entries: readonly Entry[];
  readonly #surroundings: FeedbackSurroundings;
  readonly #scope: string;
  readonly #beganAtMs: number;
  /** The progress of an evaluation inside a call. */
  #own: FeedbackProgress | undefined;

  constructor(providers: readonly FeedbackProvider[], surroundings: FeedbackSurroundings) {
    this.#entries = providers.map((provider) => {
      const { fileCreated } = provider.triggers;
      return { provider, glob: fileCreated === undefined ? undefined : compileFileGlob(fileCreated) };
    });
    this.#surroundings = surroundings;
    const { ns, key } = surroundings.prompt;
    this.#scope = `${ns}/${key}`;
    this.#beganAtMs = surroundings.clock.now();
  }

  /** The record of a call that has ended, with what the providers that are due have to say. Never rejects. */
  async addTo(invocation: ToolInvokedPayload): Promise<ToolInvokedPayload> {
    const plain = withoutBlocks(invocation);
    try {
      const due = this.#findDue(invocation);
      return due.length === 0 ? plain : await this.#run(due, invocation);
    } catch (error) {
      const { callId } = invocation;
      this.#surroundings.logger.error('Feedback could not be asked for.', {
        callId,
        error: describeError(error),
      });
      return plain;
    }
  }

  /** The record of a call that was delivered before, as the model read it: a journal has the text with what was added to it, and not that nothing was. */
  restore(invocation: ToolInvokedPayload): ToolInvokedPayload {
    const { feedback, resultId } = invocation;
    return feedback === undefined && resultId === undefined ? withoutBlocks(invocation) : invocation;
  }

  /** Counts a call that has ended. */
  record(invocation: ToolInvokedPayload): void {
    const { session, logger } = this.#surroundings;
    const step = this.#toStep(invocation);
    if (session === undefined) {
      this.#own = foldFeedback(this.#own, step);
      return;
    }
    try {
      session.dispatch(FeedbackStepped, step);
    } catch (error) {
      const { toolName, callId } = invocation;
      logger.error('A tool call could not be counted for feedback.', {
        tool: toolName,
        callId,
        error: describeError(error),
      });
    }
  }

  #findDue(invocation: ToolInvokedPayload): readonly FeedbackProvider[] {
    const { session, stop, clock } = this.#surroundings;
    if (stop.reason !== undefined) return [];
    const known = session === undefined ? this.#own : session.slice(FeedbackState).get(this.#scope);
    const progress = foldFeedback(known, this.#toStep(invocation));
    const nowMs = clock.now();
    return this.#entries
      .filter(({ provider }) => isDue(provider, progress, nowMs))
      .map(({ provider }) => provider);
  }

  #toStep({ changes, feedback = [], startedAtMs }: ToolInvokedPayload): FeedbackStep {
    const created = changes.filter(({ kind }) => kind === 'created');
    return {
      scope: this.#scope,
      startedAtMs,
      created: this.#entries
        .filter(({ glob }) => glob !== undefined && created.some(({ path }) => glob.test(path)))
        .map(({ provider }) => provider.name),
      ran: feedback.map(({ provider, atMs }) => ({ name: provider, atMs })),
    };
  }

  async #run(due: readonly FeedbackProvider[], invocation: ToolInvokedPayload): Promise<ToolInvokedPayload> {
    const { roots, clock, deadline, budgetTracker, endedCalls, stop } = this.#surroundings;
    const surroundings = this.#surroundings;
    const session = roots.session.fork({ readOnly: true });
    const files = roots.filesystem?.fork({ readOnly: true });
    const context: FeedbackContext = Object.freeze({
      get prompt() {
        return seenPrompt(surroundings, () => session.view);
      },
      renderedPrompt: surroundings.display.port,
      calls: endedCalls.with(freezeData(invocation)),
      elapsedMs: clock.now() - this.#beganAtMs,
      session: readOnlyView(session.view),
      filesystem: files?.view,
      deadline,
      budgetTracker,
      signal: stop.signal,
    });
    const feedback: RecordedFeedback[] = [];
    try {
      for (const provider of due) {
        const record = await this.#ask(provider, context, invocation.callId);
        if (record !== undefined) feedback.push(record);
      }
    } catch (error) {
      // The run has ended; feedback given until then stays in the result.
      if (!(error instanceof RunStoppedSignal)) throw error;
    } finally {
      session.dispose();
      files?.dispose();
    }
    const given = feedback.filter((record) => record.outcome === 'given');
    const withFeedbackText = withText(invocation, withFeedback(invocation.modelText, given));
    return feedback.length === 0 ? withFeedbackText : { ...withFeedbackText, feedback };
  }

  /** The outcome of the provider; undefined when it is not due yet. Rejects only with {@link RunStoppedSignal}. */
  async #ask(
    provider: FeedbackProvider,
    context: FeedbackContext,
    callId: string,
  ): Promise<RecordedFeedback | undefined> {
    const { clock, logger, stop } = this.#surroundings;
    const { name } = provider;
    const atMs = clock.now();
    const ask = async (): Promise<RecordedFeedback | undefined> => {
      if ((await provider.shouldRun?.(context)) === false) return undefined;
      const feedback = readFeedback(name, await provider.provide(context));
      return feedback === undefined
        ? { provider: name, atMs, outcome: 'silent' }
        : { provider: name, atMs, outcome: 'given', ...feedback };
    };
    try {
      return await stop.race(ask());
    } catch (error) {
      if (error instanceof RunStoppedSignal) throw error;
      logger.error('A feedback provider failed.', { provider: name, callId, error: describeError(error) });
      return { provider: name, atMs, outcome: 'failed', error: recordError(error) };
    }
  }
}

function withText(invocation: ToolInvokedPayload, modelText: string): ToolInvokedPayload {
  return modelText === invocation.modelText ? invocation : { ...invocation, modelText };
}

function isDue({ name, triggers }: FeedbackProvider, progress: FeedbackProgress, nowMs: number): boolean {
  const last = progress.providers.find((provider) => provider.name === name);
  const { everyCalls, everyMs } = triggers;
  if (last?.isFileCreated === true) return true;
  if (everyCalls !== undefined && progress.calls - (last?.calls ?? 0) >= everyCalls) return true;
  if (everyMs === undefined) return false;
  const sinceMs = last?.atMs ?? progress.sinceMs;
  // A clock that was set back, or another machine's, must not keep a provider quiet for long.
  return nowMs - sinceMs >= everyMs || nowMs < sinceMs;
}

/** A feedback of a provider. */
interface GivenFeedback extends Feedback {
  readonly provider: string;
}

/** The record of a call after which nothing is said. */
function withoutBlocks(invocation: ToolInvokedPayload): ToolInvokedPayload {
  return withText(invocation, withFeedback(invocation.modelText, []));
}

const tag = 'wink-feedback';
/**
 * What the model reads of a call after which feedback was given: the text of the call, then a block for each provider.
 * Only the runtime can write such a block: text elsewhere that would look like one is escaped.
 */
export function withFeedback(text: string, given: readonly GivenFeedback[]): string {
  return [withoutBlockTags(text), ...given.map(formatFeedback)].filter((part) => part !== '').join('\n\n');
}

/** What was said after a call, as the model reads it at the end of the text of the result; empty for nothing. */
export function feedbackText(feedback: readonly RecordedFeedback[] = none): string {
  return feedback
    .flatMap((record) => (record.outcome === 'given' ? [formatFeedback(record)] : none))
    .join('\n\n');
}

function formatFeedback({ provider, severity = 'info', message, suggestions = [] }: GivenFeedback): string {
  return [
    `<${tag} provider="${provider}" severity="${severity}">`,
    withoutBlockTags(message.trim()),
    // A suggestion of two lines would look like two.
    ...suggestions.map((suggestion) => `- ${withoutBlockTags(oneLine(suggestion))}`),
    `</${tag}>`,
  ].join('\n');
}
