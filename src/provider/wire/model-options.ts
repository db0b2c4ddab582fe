import { PromptValidationError } from '../../error/index.ts';

/** What to do with a config that a provider cannot be told in full. */
export type UnsupportedConfig = 'error' | 'warn';

/** What the adapters of every provider take, whatever else they take. */
export interface CommonModelOptions {
  readonly model: string;
  readonly timeoutMs?: number | undefined;
  readonly unsupportedConfig?: UnsupportedConfig | undefined;
  readonly client?: unknown;
}

const defaultTimeoutMs = 600_000;
/** The longest time that timers take; they go off at once for a longer one. */
const longestMs = 2_147_483_647;

/**
 * Milliseconds until a request without an answer is given up: a whole number, as clients want it, that a timer takes.
 *
 * @internal
 */
export function requestTimeoutMs(timeoutMs: number | undefined): number {
  return Math.min(Math.ceil(timeoutMs ?? defaultTimeoutMs), longestMs);
}

/**
 * @param adapter whose options they are, for messages.
 * @param clientKeys options that a client is made of, which a given client excludes.
 * @throws {PromptValidationError} for options that exclude each other or cannot be used.
 * @internal
 */
export function checkModelOptions<Options extends CommonModelOptions>(
  adapter: string,
  options: Options,
  clientKeys: readonly (keyof Options & string)[],
): void {
  const { model, timeoutMs, unsupportedConfig, client } = options;
  if (typeof model !== 'string' || model === '')
    throw fault(`The ${adapter} adapter needs the name of a model.`, 'model');
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    throw fault(
      `The option timeoutMs must be a number of milliseconds over 0, got ${timeoutMs}.`,
      'timeoutMs',
      timeoutMs,
    );
  }
  if (unsupportedConfig !== undefined && !['error', 'warn'].includes(unsupportedConfig)) {
    throw fault(
      `The option unsupportedConfig must be "error" or "warn", got ${unsupportedConfig}.`,
      'unsupportedConfig',
      unsupportedConfig,
    );
  }
  const clash = clientKeys.find((key) => options[key] !== undefined);
  if (client !== undefined && clash !== undefined) {
    throw fault(
      `The ${adapter} adapter was given a client and the option ${clash}; set it on the client instead.`,
      clash,
    );
  }
}

/**
 * Where the client comes from: the given one, or one that is made of the options with these keys when it is first needed. A
 * client that could not be made is tried again at the next call.
 *
 * @internal
 */
export function lazyClient<Client, Options extends object>(
  { client, ...options }: Options & { readonly client?: Client | undefined },
  keys: readonly string[],
  create: (options: Options) => Promise<Client>,
): () => Client | Promise<Client> {
  if (client !== undefined) return () => client;
  const given = Object.entries(options).filter(([key, value]) => keys.includes(key) && value !== undefined);
  let made: Promise<Client> | undefined;
  return () => {
    // The entries are those of the options, only without what is undefined and what is no option of a client.
    made ??= create(Object.fromEntries(given) as Options).catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

function fault(message: string, option: string, value?: string | number): PromptValidationError {
  return new PromptValidationError(message, {
    details: { option, ...(value === undefined ? {} : { value }) },
  });
}
