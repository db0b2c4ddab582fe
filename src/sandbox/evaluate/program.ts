import { writeSync } from 'node:fs';
import { describeError } from '../../error/index.ts';
import { CallFiles } from './call-files.ts';
import { evaluateJavaScript } from './javascript.ts';
import { type EvaluationReply, type EvaluationRequest, encodeFrame, FrameReader } from './protocol.ts';
import { evaluatePython, type Monty } from './python.ts';
import type { QuickJs } from './quickjs.ts';

// The evaluator process: requests at its input, replies at its output. It has no environment. It ends when its input closes.

/** Not literals: the packages need not be installed where this is compiled. */
const JAVASCRIPT: string = 'quickjs-emscripten';
const PYTHON: string = '@pydantic/monty';
const MAX_REQUEST_BYTES = 268_435_456;
// oxlint-disable-next-line no-restricted-globals -- The system clock without the library around it, for a short start.
const now = (): number => performance.now();

/** A pipe may take less than the whole message. */
function send(message: unknown): void {
  let rest: Uint8Array = encodeFrame(message);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      // The session has not read the last part yet.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

async function main(languages: readonly string[]): Promise<void> {
  // A module of its own for each call: its memory is released as a whole, in whatever state the code left it.
  let javascript: (() => Promise<QuickJs>) | undefined;
  let python: Monty | undefined;
  try {
    if (languages.includes('javascript')) {
      // Their shapes are those of the supported versions; the self-test of the session would find another.
      const peer = (await import(JAVASCRIPT)) as { newQuickJSWASMModule: () => Promise<QuickJs> };
      javascript = peer.newQuickJSWASMModule;
      await javascript();
    }
    if (languages.includes('python')) python = (await import(PYTHON)) as Monty;
  } catch (error) {
    send({ unusable: describeError(error) });
    process.exit(1);
  }
  send({ ready: true });

  const frames = new FrameReader(MAX_REQUEST_BYTES);
  process.stdin.on('data', (chunk: Buffer) => {
    // Only the session writes here.
    for (const message of frames.push(chunk)) void answer(message as EvaluationRequest);
  });
  process.stdin.on('end', () => process.exit(0));

  async function answer(request: EvaluationRequest): Promise<void> {
    const files = new CallFiles(request.files, request.writes, request.maxOutputCharacters);
    let reply: EvaluationReply | undefined;
    if (request.language === 'javascript' && javascript !== undefined)
      reply = evaluateJavaScript(await javascript(), request, files, now);
    else if (python !== undefined) reply = evaluatePython(python, request, files);
    send(reply);
  }
}

await main(process.argv.slice(2));
