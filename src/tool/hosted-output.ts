/** What every output of a hosted tool says. What else it says is up to the kind of the tool. */
export interface HostedToolOutput {
  /** `incomplete`: the provider stopped in the middle of it. */
  readonly status: 'completed' | 'failed' | 'incomplete';
  /** Why it failed, in the provider's words; absent when the provider does not say, or when it did not fail. */
  readonly errorCode?: string;
  /** The provider's name for this invocation; absent when it has none. */
  readonly invocationId?: string;
}

/** Where a passage of the model's text comes from. */
export type Citation = {
  /**
   * The passage, from the first character to behind the last, as offsets of a JavaScript string in the text of the turn.
   * Absent when the provider does not tell which passage it is.
   */
  readonly span?: readonly [start: number, end: number];
  /** The words of the source that the passage rests on. */
  readonly citedText?: string;
} & (
  | { readonly type: 'url'; readonly url: string; readonly title?: string }
  | { readonly type: 'file'; readonly fileId: string; readonly filename?: string }
);

/** What one turn of the model brought of one hosted tool. */
export interface HostedToolReading<out Output extends HostedToolOutput = HostedToolOutput> {
  /** Name of the hosted tool, as the prompt has it. */
  readonly toolName: string;
  /** One for each time the provider ran the tool, in order; several in one turn are usual. */
  readonly invocations: readonly Output[];
  readonly citations: readonly Citation[];
}

/** What a hosted tool came to in one evaluation. `turn` is the number of the model call, from 1. */
export interface HostedToolOutputs<out Output extends HostedToolOutput = HostedToolOutput> {
  readonly invocations: readonly (Output & { readonly turn: number })[];
  /**
   * The spans are offsets in the text of the turn, put behind that of paused turns that it goes on from; those of the answer
   * are offsets in `response.text`.
   */
  readonly citations: readonly (Citation & { readonly turn: number })[];
}
