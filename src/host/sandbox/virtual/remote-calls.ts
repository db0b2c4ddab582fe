import type { FileAnswer, FileCall, ShellThreadRequest } from './protocol.ts';

interface Pending {
  readonly resolve: (value: FileAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** An operation on the files that a script has no right to, or that fails. */
export class FileRefusal extends Error {}

/** Calls of the thread that our thread answers. */
export class RemoteCalls {
  readonly #send: (id: number, call: FileCall) => void;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;

  constructor(send: (id: number, call: FileCall) => void) {
    this.#send = send;
  }

  make(call: FileCall): Promise<FileAnswer> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send(id, call);
    });
  }

  settle(answer: Extract<ShellThreadRequest, { kind: 'answer' | 'refusal' }>): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (answer.kind === 'answer') pending?.resolve(answer.value);
    else pending?.reject(new FileRefusal(answer.message));
  }
}
