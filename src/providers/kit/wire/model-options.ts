import { PromptValidationError } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';

/** What to do with a config that a provider does not fully support. */
export type UnsupportedConfig = 'error' | 'warn';

/** Options that the adapters of all vendors share. */
export interface CommonModelOptions {
  readonly model: string;
  readonly timeoutMs?: number | undefined;
  readonly unsupportedConfig?: UnsupportedConfig | undefined;
  readonly client?: unknown;
}

const defaultTimeoutMs = 600_000;
/** The longest delay of timers; a longer one fires at once. */
const longestMs = 2_147_483_647;

/**
 * The timeout of a request in milliseconds: an integer, as clients require, within the range of timers.
 *
 * @internal
 */
export function requestTimeoutMs(timeoutMs: number | undefined): number {
  return Math.min(Math.ceil(timeoutMs ?? defaultTimeoutMs), longestMs);
}

/**
 * @param adapter name of the adapter, for messages.
 * @param clientKeys options from which a client is created; they exclude a given client.
 * @throws {PromptValidationError} for options that exclude each other or are invalid.
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
 * The client: the given one, or one created from the options with these keys when it is first used. After a failed creation
 * the next call tries again.
 *
 * @internal
 */
export function lazyClient<Client, Options extends object>(
  { client, ...options }: Options & { readonly client?: Client | undefined },
  keys: readonly string[],
  create: (options: Options) => Promise<Client>,
): () => Client | Promise<Client> {
  if (client !== undefined) return () => client;
  const clientOptions = Object.entries(options).filter(
    ([key, value]) => keys.includes(key) && value !== undefined,
  );
  let made: Promise<Client> | undefined;
  return () => {
    // These are the entries of the options without undefined values and options that the client does not know.
    made ??= create(Object.fromEntries(clientOptions) as Options).catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

function fault(message: string, option: string, value?: string | number): PromptValidationError {
  return new PromptValidationError(message, {
    details: { option, ...present({ value }) },
  });
}
