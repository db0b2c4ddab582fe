import { StringDecoder } from 'node:string_decoder';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { describeError } from '../../../core/error/index.ts';
import { escapeInvisible, formatNumber, startOf } from '../../../core/internal/index.ts';
import type { Clock } from '../../../core/session/index.ts';
import type { Logger } from '../../../core/tool/index.ts';
import type { McpClientSdk } from '../wire/sdk.ts';
import { type StartedChild, startChild } from './child-process.ts';
import { Lines } from './lines.ts';
import type { McpChildServer } from './mounted-server.ts';
import { maxMessageBytes, type ServerTransport } from './server-transport.ts';

/** Options of {@link stdioTransport}. */
interface StdioTransportOptions {
  readonly server: McpChildServer;
  /** The name of the server in the log. */
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long a child may take after its input has ended; some do not notice. */
const endMs = 500;
/** How long it may take in all, when it was asked to stop then. */
const stopMs = 2500;

/**
 * The standard input and output of a child that is started with the connection. It keeps this process running only while a request is open or its end is waited
 * for: a program that does not dispose its section ends all the same, and the input of the child with it.
 */
export function stdioTransport(sdk: McpClientSdk, options: StdioTransportOptions): ServerTransport {
  const transport = new StdioTransport(sdk, options);
  return {
    transport,
    reason: () => transport.reason,
    isUnauthorized: () => false,
    close: (how) => transport.end(how),
  };
}

class StdioTransport implements Transport {
  // The SDK takes a transport with these two names for one to a child, which need not answer a request that it does not know.
  readonly stderr: null = null;
  readonly pid: undefined = undefined;
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  onmessage: Transport['onmessage'];
  readonly #sdk: McpClientSdk;
  readonly #options: StdioTransportOptions;
  #starting: Promise<StartedChild> | undefined;
  #child: StartedChild | undefined;
  #reason: string | undefined;
  /** Our requests that have no answer. */
  readonly #open = new Set<unknown>();
  #isEnding = false;

  constructor(sdk: McpClientSdk, options: StdioTransportOptions) {
    this.#sdk = sdk;
    this.#options = options;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  async start(): Promise<void> {
    const { clock, logger, name, server } = this.#options;
    this.#starting = startChild(server, clock);
    let child: StartedChild;
    try {
      child = await this.#starting;
    } catch (error) {
      this.#reason = `could not be started: ${describeError(error)}`;
      throw error;
    }
    this.#child = child;
    const errors = new ChildErrors(name, logger, child.redact);
    const lines = new Lines({
      maxBytes: maxMessageBytes,
      onLine: (line) => this.#receive(line),
      onTooLong: () => {
        this.#reason = `sent a message of more than ${formatNumber(maxMessageBytes)} bytes`;
        child.kill('SIGKILL');
      },
    });
    child.stdout.on('data', (chunk: Buffer) => lines.add(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.add(chunk));
    void child.ended.then((how) => {
      this.#reason ??= how;
      this.#child = undefined;
      errors.end();
      this.onclose?.();
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === undefined)
      return Promise.reject(new Error(`The server ${this.#reason ?? 'is not there'}.`));
    if ('method' in message && 'id' in message) this.#open.add(message.id);
    // For a request that was abandoned no answer comes.
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#open.delete(message.params?.['requestId']);
    this.#hold();
    const written = new Promise<void>((resolve, reject) => {
      child.stdin.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
    return written.catch(async (error: unknown) => {
      // A child that ends closes its input first: how it ended says more.
      await child.ended;
      throw error;
    });
  }

  close(): Promise<void> {
    return this.end('orderly');
  }

  async end(how: 'orderly' | 'at-once'): Promise<void> {
    const child = await this.#starting?.catch(() => undefined);
    if (child === undefined) return;
    this.#isEnding = true;
    this.#hold();
    if (how === 'at-once') child.kill('SIGKILL');
    else child.stdin.end();
    const { clock } = this.#options;
    const cancels = [
      clock.schedule(endMs, () => child.kill('SIGTERM')),
      clock.schedule(stopMs, () => child.kill('SIGKILL')),
    ];
    await child.ended;
    for (const cancel of cancels) cancel();
  }

  /** Programs print other things to their standard output, too. */
  #receive(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = this.#sdk.parseJSONRPCMessage(JSON.parse(line));
    } catch (error) {
      this.#options.logger.debug('A line of an MCP server is not a message.', {
        server: this.#options.name,
        error: startOf(describeError(error), 200),
      });
      return;
    }
    if (!('method' in message) && 'id' in message) this.#open.delete(message.id);
    this.#hold();
    this.onmessage?.(message);
  }

  #hold(): void {
    this.#child?.hold(this.#isEnding || this.#open.size > 0);
  }
}

const maxLines = 200;
const maxLineCharacters = 1000;

/** Passes on what a child writes to its standard error, for the operator: 200 lines of 1,000 characters, visible ones only, without the values of
 * its variables. No model gets any of it. */
class ChildErrors {
  readonly #server: string;
  readonly #logger: Logger;
  readonly #decoder = new StringDecoder('utf8');
  #line = '';
  #count = 0;

  readonly #redact: (text: string) => string;

  /** @param server the name of the server in the log. */
  constructor(server: string, logger: Logger, redact: (text: string) => string) {
    this.#server = server;
    this.#redact = redact;
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
        line: escapeInvisible(this.#redact(line)),
      });
    }
  }
}
