import type { ClaudeUserMessage } from './sdk.ts';

/** The messages of the user, one after the other, until they are ended. */
export class UserMessages {
  readonly #waiting: ClaudeUserMessage[] = [];
  #isEnded = false;
  #wake: () => void = () => undefined;

  /** @param content blocks of the Messages interface. */
  say(content: readonly object[]): void {
    this.#waiting.push({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null });
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *read(): AsyncGenerator<ClaudeUserMessage, void> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        yield next;
        continue;
      }
      if (this.#isEnded) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
