import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { isRecord, present } from '../../../core/internal/index.ts';
import { type Clock, systemClock } from '../../../core/session/index.ts';
import { PodmanRequestError } from './podman-error.ts';

/** The oldest version of the interface that has what is used; later services answer it, too. */
const apiPrefix = '/v4.0.0/libpod';
/** No answer that is read has more than a few kilobytes for each container. */
const maxAnswerBytes = 16_777_216;
/** A creation that copies a large image takes minutes; only a service that hangs needs more. */
const maxAnswerMs = 300_000;

/** A request to the service. */
export interface PodmanRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Begins with a slash, and is encoded. */
  readonly path: string;
  /** Sent as JSON. Default: none. */
  readonly body?: unknown;
  /** Ends the request. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** A service of Podman on this machine, by HTTP over its socket. */
export class PodmanClient {
  readonly #socketPath: string;
  readonly #clock: Clock;

  /** @param clock limits the time of each answer. Default: the system clock. */
  constructor(socketPath: string, clock: Clock = systemClock) {
    this.#socketPath = socketPath;
    this.#clock = clock;
  }

  /**
   * Sends a request, and returns the answer: parsed JSON, or undefined when there is none.
   * @throws {PodmanRequestError} for a status that is not of success, with Podman's own message, and when there is no answer within five minutes.
   * @throws the signal's reason.
   */
  async send(sent: PodmanRequest): Promise<unknown> {
    const text = await this.#exchange(sent);
    return text.trim() === '' ? undefined : parse(text);
  }

  /** Whether a service of Podman answers. @throws the signal's reason. */
  async answers(signal: AbortSignal | undefined): Promise<boolean> {
    try {
      await this.#exchange({ method: 'GET', path: '/_ping', signal });
      return true;
    } catch {
      signal?.throwIfAborted();
      return false;
    }
  }

  /** The text of the answer. */
  async #exchange({ method, path, body, signal }: PodmanRequest): Promise<string> {
    const content = body === undefined ? undefined : JSON.stringify(body);
    const headers = content === undefined ? {} : { 'content-type': 'application/json' };
    // Only where there is a service: loading it loads the whole of fetch.
    const { request } = await import('node:http');
    signal?.throwIfAborted();
    let stopTimer = (): void => undefined;
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const options = {
          ...this.#address(method, path),
          headers,
          ...present({ signal }),
        };
        const sent = request(options, resolve).on('error', reject);
        stopTimer = this.#limitTime(sent);
        sent.end(content);
      });
      const text = await readText(answer);
      const status = answer.statusCode ?? 0;
      if (status < 200 || status > 299) throw new PodmanRequestError(messageOf(text, status), status);
      return text;
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof PodmanRequestError ? error : unanswered(error);
    } finally {
      stopTimer();
    }
  }

  /**
   * Opens the stream of the inputs and outputs of a container, which is made ready to start by it.
   * @returns the stream, and what was already read from it.
   * @throws {PodmanRequestError}
   */
  async attach(id: string, hasInput: boolean): Promise<{ readonly stream: Duplex; readonly head: Buffer }> {
    const path = `/containers/${id}/attach?stream=true&stdin=${hasInput}&stdout=true&stderr=true`;
    const { request } = await import('node:http');
    return new Promise((resolve, reject) => {
      const headers = { connection: 'Upgrade', upgrade: 'tcp' };
      const sent = request({ ...this.#address('POST', path), headers }, (answer) => {
        readText(answer).then(
          (text) =>
            reject(new PodmanRequestError(messageOf(text, answer.statusCode ?? 0), answer.statusCode)),
          reject,
        );
      });
      const stopTimer = this.#limitTime(sent);
      sent.on('upgrade', (_answer, stream, head) => resolve({ stream, head }));
      // Emitted after an upgrade, too.
      sent.on('close', stopTimer);
      sent.on('error', (error) => reject(unanswered(error)));
      sent.end();
    });
  }

  /** Ends a request that is not answered in time, unless the returned function is called before. */
  #limitTime(sent: ClientRequest): () => void {
    return this.#clock.schedule(maxAnswerMs, () => {
      sent.destroy(Object.assign(new Error('The service has not answered in time.'), { code: 'ETIMEDOUT' }));
    });
  }

  #address(method: string, path: string): { socketPath: string; method: string; path: string; agent: false } {
    return { socketPath: this.#socketPath, method, path: apiPrefix + path, agent: false };
  }
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) {
      answer.destroy();
      throw new PodmanRequestError('its answer is too large');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PodmanRequestError('its answer is not JSON');
  }
}

/** Podman's message; its cause is the end of it. */
function messageOf(text: string, status: number): string {
  try {
    const answer: unknown = JSON.parse(text);
    if (isRecord(answer) && typeof answer['message'] === 'string' && answer['message'] !== '')
      return answer['message'];
  } catch {
    // Not an answer of Podman.
  }
  return `it answered with the status ${status}`;
}

function unanswered(error: unknown): PodmanRequestError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return new PodmanRequestError(`its service does not answer (${code})`);
}
