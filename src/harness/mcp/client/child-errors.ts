import { StringDecoder } from 'node:string_decoder';
import { escapeInvisible, startOf } from '../../../core/internal/index.ts';
import type { Logger } from '../../../core/tool/index.ts';

const maxLines = 200;
const maxLineCharacters = 1000;

/** Passes on what a child writes to its standard error, for the operator: 200 lines of 1,000 characters, visible ones only. No model gets any of it. */
export class ChildErrors {
  readonly #server: string;
  readonly #logger: Logger;
  readonly #decoder = new StringDecoder('utf8');
  #line = '';
  #count = 0;

  /** @param server the name of the server in the log. */
  constructor(server: string, logger: Logger) {
    this.#server = server;
    this.#logger = logger;
  }

  add(chunk: Buffer): void {
    if (this.#count > maxLines) return;
    const [first = '', ...others] = this.#decoder.write(chunk).split('\n');
    this.#extend(first);
    for (const line of others) {
      this.#log();
      this.#extend(line);
    }
  }

  /** Logs what was not ended by a line feed. */
  end(): void {
    if (this.#line !== '') this.#log();
  }

  #extend(text: string): void {
    if (this.#line.length < maxLineCharacters) this.#line = startOf(this.#line + text, maxLineCharacters);
  }

  #log(): void {
    const line = this.#line;
    this.#line = '';
    this.#count += 1;
    if (this.#count > maxLines + 1) return;
    if (this.#count > maxLines) {
      this.#logger.warn('What an MCP server writes to its standard error is not logged any more.', {
        server: this.#server,
        lines: maxLines,
      });
    } else if (line.trim() !== '') {
      this.#logger.info('An MCP server wrote to its standard error.', {
        server: this.#server,
        line: escapeInvisible(line),
      });
    }
  }
}
