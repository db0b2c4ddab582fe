import { isRecord } from '../../core/internal/index.ts';
import { packError, type RemoteError, unpackError } from './remote-error.ts';

/** A call, whose answer has its number; one without a number is not answered. */
export interface RemoteCall {
  readonly id?: number;
  readonly name: string;
  readonly parameters: readonly unknown[];
}

/** What goes from one side to the other: a call, the value that a call returned, or why it threw. */
export type RemoteMessage =
  | RemoteCall
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: RemoteError };

/** A value that is answered, with the buffers that are handed over with it. */
export class RemoteTransfer {
  readonly value: unknown;
  readonly buffers: readonly ArrayBuffer[];

  constructor(value: unknown, buffers: readonly ArrayBuffer[]) {
    this.value = value;
    this.buffers = buffers;
  }
}

/** The functions of one side, by name. */
export type RemoteFunctions<Names extends PropertyKey> = Readonly<
  Record<Names, (...parameters: never[]) => unknown>
>;

/** One side of a connection. */
export interface RemoteOptions {
  /** Sends a message. */
  readonly send: (message: RemoteMessage, buffers?: readonly ArrayBuffer[]) => void;
  /** What the other side may call now; undefined: nothing. Must not throw. Default: nothing, at any time. */
  readonly serve?: (() => object | undefined) | undefined;
  /** What the other side gets of an error that a function threw; undefined: no answer, because it is to learn nothing of it. Default: message and members, as `packError()` does. */
  readonly pack?: ((error: unknown) => RemoteError | undefined) | undefined;
  /** The error of a call from what the other side sent. Default: an error with them, as `unpackError()` makes. */
  readonly unpack?: ((error: RemoteError) => Error) | undefined;
  /** Called when the first call is open, and when the last one is answered. Must not throw. */
  readonly onBusy?: ((isBusy: boolean) => void) | undefined;
}

interface OpenCall {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * The calls between two sides that exchange messages, in both directions. It sets no limits of time: who calls knows how long that may take.
 *
 * Runs where much of JavaScript is blocked, such as beside the interpreter of a sandbox: it needs maps and promises, no proxies and timers.
 */
export class RemoteCalls<Theirs extends RemoteFunctions<keyof Theirs>> {
  readonly #options: RemoteOptions;
  readonly #open = new Map<number, OpenCall>();
  #lastId = 0;
  #end: { readonly error: unknown } | undefined;

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  /** Calls a function of the other side. Rejects with its error, or with the one that `end` was given. */
  call<Name extends keyof Theirs & string>(
    name: Name,
    ...parameters: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>> {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) {
        reject(this.#end.error);
        return;
      }
      this.#lastId += 1;
      const id = this.#lastId;
      this.#options.send({ id, name, parameters });
      // The other side answers with what the function returns; whose answers are not trusted checks them.
      this.#open.set(id, { resolve, reject });
      if (this.#open.size === 1) this.#options.onBusy?.(true);
    });
  }

  /** Calls a function whose answer nothing waits for. */
  tell<Name extends keyof Theirs & string>(name: Name, ...parameters: Parameters<Theirs[Name]>): void {
    if (this.#end === undefined) this.#options.send({ name, parameters });
  }

  /**
   * Takes a message of the other side.
   * @returns false when it is not a call, names no function that is served, or answers no call.
   */
  receive(message: unknown): boolean {
    if (this.#end !== undefined) return true;
    if (!isRecord(message)) return false;
    const { id, name, parameters, error } = message;
    if (typeof name === 'string') {
      const functions = this.#options.serve?.();
      if (functions === undefined || !Object.hasOwn(functions, name)) return false;
      if (!Array.isArray(parameters) || !(id === undefined || typeof id === 'number')) return false;
      // Whose calls are not trusted has functions that check what they are given.
      const served: unknown = Reflect.get(functions, name);
      void this.#serve(served as (...parameters: unknown[]) => unknown, parameters, id);
      return true;
    }
    const open = typeof id === 'number' ? this.#open.get(id) : undefined;
    if (typeof id !== 'number' || open === undefined) return false;
    this.#open.delete(id);
    if (this.#open.size === 0) this.#options.onBusy?.(false);
    const { unpack = unpackError } = this.#options;
    // Both sides are of one version of this module, and who does not trust the other has no use for its errors.
    if (error === undefined) open.resolve(message['value']);
    else open.reject(unpack(error as RemoteError));
    return true;
  }

  /** From now on calls reject with the error, also those that are open, and nothing is served. The first one counts. */
  end(error: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    for (const { reject } of this.#open.values()) reject(error);
    if (this.#open.size > 0) this.#options.onBusy?.(false);
    this.#open.clear();
  }

  async #serve(
    served: (...parameters: unknown[]) => unknown,
    parameters: readonly unknown[],
    id: number | undefined,
  ): Promise<void> {
    const { send, pack = packError } = this.#options;
    try {
      const returned = await served(...parameters);
      const { value, buffers } =
        returned instanceof RemoteTransfer ? returned : { value: returned, buffers: undefined };
      // A value that no message can have throws here.
      if (id !== undefined && this.#end === undefined) send({ id, value }, buffers);
    } catch (thrown) {
      const error = pack(thrown);
      if (id !== undefined && error !== undefined && this.#end === undefined) send({ id, error });
    }
  }
}
