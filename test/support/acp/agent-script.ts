/** What a scripted agent does when its model is asked. */
export type AgentStep =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'think'; readonly text: string }
  /** Says the text of the last result, or whether its own tool was allowed. */
  | { readonly kind: 'say-last' }
  /** Says what it was asked. */
  | { readonly kind: 'say-prompt' }
  /** Says the names of its variables and its folder. */
  | { readonly kind: 'say-environment' }
  | { readonly kind: 'cost'; readonly amount: number }
  /** Asks for permission to run a tool of its own; `SERVER` is replaced by the name of the server. */
  | { readonly kind: 'own'; readonly title: string }
  /** Announces a call; the same replacement. One of a tool of the server, as Codex does; else a command of its own. */
  | { readonly kind: 'announce'; readonly title: string; readonly tool?: string }
  /** Says that the announced call has ended. */
  | { readonly kind: 'end-call' }
  /** Asks for permission to run the announced call, of which it says nothing but the id. */
  | { readonly kind: 'ask-by-id' }
  | { readonly kind: 'list' }
  /** Calls tools of the server, all at once. */
  | {
      readonly kind: 'call';
      readonly calls: readonly { readonly name: string; readonly args?: Record<string, unknown> }[];
    }
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'refuse' };

/** How a scripted agent behaves; `prompts` has the steps for each message that it gets. */
export interface AgentScript {
  readonly prompts: readonly (readonly AgentStep[])[];
  /** Connects over HTTP. Default: it starts servers as its children. */
  readonly http?: boolean;
  readonly takesImages?: boolean;
  readonly protocolVersion?: number;
  readonly needsLogin?: boolean;
  readonly startsNever?: boolean;
  readonly ignoresCancel?: boolean;
}
