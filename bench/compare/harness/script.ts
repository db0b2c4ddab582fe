/** What a scripted model asks for. */
export interface ScriptedCall {
  readonly name: string;
  /** An object; or a text, where a model writes something else than JSON. */
  readonly arguments: Readonly<Record<string, unknown>> | string;
}

/** A turn of a model: calls, which belong together, or the last text. */
export type ScriptedTurn = readonly ScriptedCall[] | string;

/** A result of a call, as the model reads it. */
export interface SeenResult {
  /** Of the call that it answers: `call-REQUEST-NUMBER`, both from 1. */
  readonly id: string;
  readonly text: string;
  /** Whether the system marks it as failed; systems that only say so in the text leave it out. */
  readonly isError?: boolean;
}

export interface AskedCall {
  readonly id: string;
  readonly name: string;
  /** The arguments, as a model writes them. */
  readonly text: string;
}

/** What a model does next: calls, or a text when there are none. */
export interface ScriptedAnswer {
  readonly calls: readonly AskedCall[];
  readonly text: string;
}

/**
 * The model of every system: a list of turns, or a function of the number of the request, from 1. Each system has a model that
 * asks it for the next turn and shows it the results in the request. A script that is over answers with a text.
 */
export class Script {
  /** How often the model was asked. */
  requests = 0;
  /** All results of calls in the newest request, in its order. */
  seen: readonly SeenResult[] = [];
  /** The whole newest request as JSON, for what is neither a result nor a call. */
  read = '';
  /** Tokens that each answer takes. */
  readonly tokens: number;
  readonly #turns: (request: number) => ScriptedTurn | undefined;

  constructor(
    turns: readonly ScriptedTurn[] | ((request: number) => ScriptedTurn | undefined),
    { tokens = 10 }: { readonly tokens?: number } = {},
  ) {
    this.tokens = tokens;
    this.#turns = typeof turns === 'function' ? turns : (request) => turns[request - 1];
  }

  /** @param request what the model was asked, in the system's own form */
  next(seen: readonly SeenResult[], request: unknown): ScriptedAnswer {
    this.requests += 1;
    this.seen = seen;
    this.read = JSON.stringify(request) ?? '';
    const turn = this.#turns(this.requests) ?? 'Done.';
    if (typeof turn === 'string') return { calls: [], text: turn };
    const calls = turn.map(({ name, arguments: input }, index) => ({
      id: `call-${this.requests}-${index + 1}`,
      name,
      text: typeof input === 'string' ? input : JSON.stringify(input),
    }));
    return { calls, text: '' };
  }
}
