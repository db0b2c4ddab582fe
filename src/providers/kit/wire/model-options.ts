import {
  assertOptions,
  number,
  type OptionsOf,
  oneOf,
  PromptValidationError,
} from '../../../core/error/index.ts';
import { priceChecks } from '../../../core/runtime/index.ts';
import type { ModelSettings, TokenPrices } from '../../../core/tool/index.ts';

/** What to do with a config that a provider does not fully support. */
export type UnsupportedConfig = 'error' | 'warn';

/** Options that the adapters of all vendors share. */
export interface CommonModelOptions {
  readonly model: string;
  readonly client?: unknown;
}

/** Options that mean the same for all vendors. */
interface SharedModelOptions {
  readonly name?: string;
  readonly settings?: ModelSettings;
  readonly timeoutMs?: number;
  readonly prices?: TokenPrices;
  readonly hostedToolCodecs?: object;
  readonly unsupportedConfig?: UnsupportedConfig;
}

/** What options that the adapters of all vendors share must be. What is in the settings, and in headers, is up to the provider. @internal */
export const modelChecks: OptionsOf<SharedModelOptions> = {
  name: 'string',
  settings: 'object',
  timeoutMs: number({ above: 0 }),
  prices: priceChecks,
  hostedToolCodecs: 'object',
  unsupportedConfig: oneOf(['error', 'warn']),
};

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
  const { model, client } = options;
  if (typeof model !== 'string' || model === '')
    throw fault(`The ${adapter} adapter needs the name of a model.`, 'model');
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

function fault(message: string, option: string): PromptValidationError {
  return new PromptValidationError(message, { details: { option } });
}

/**
 * What the option for prompt caching must be that is not false.
 *
 * @internal
 */
export function assertCaching(of: string, caching: object | false | undefined): void {
  if (caching === undefined || caching === false) return;
  assertOptions<object>(of, caching, { ttl: oneOf(['5m', '1h']) }, { path: 'promptCaching' });
}
