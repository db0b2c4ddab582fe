import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { describeError } from '../../../core/error/index.ts';
import { encodeFrame, FrameReader, RemoteCalls } from '../../remote/index.ts';
import { CommandOutputs } from '../backend/output.ts';
import { CallFiles } from './call-files.ts';
import { evaluateJavaScript } from './javascript.ts';
import type {
  CodeEvaluationLanguage,
  EvaluatedValue,
  EvaluationReply,
  EvaluationRequest,
  EvaluatorFunctions,
  UnusableEvaluator,
} from './protocol.ts';
import { evaluatePython, type Monty } from './python.ts';
import type { QuickJs } from './quickjs.ts';

// The evaluator process: calls at its input, answers at its output. It has no environment. A thread watches a third pipe, which
// nothing is written to: when the session's process ends, in whatever way, the system closes the pipe, and the thread kills this process. The
// main thread cannot notice it while an interpreter runs.

/** Not literals: the packages need not be installed where this is compiled. */
const javascriptPackage: string = 'quickjs-emscripten';
const pythonPackage: string = '@pydantic/monty';
const lifelineFd = 3;
/** Requests are trusted; the length of a message has four bytes. */
const maxRequestBytes = 4_294_967_295;
// oxlint-disable-next-line no-restricted-globals -- The system clock without the library around it, for a short start.
const now = (): number => performance.now();

type Run = (request: EvaluationRequest, files: CallFiles, output: CommandOutputs) => EvaluationOutcome;
type EvaluationOutcome = EvaluatedValue | { readonly error: string };

/** Ends the process with the session's. */
function watch(): void {
  const lifeline = new Socket({ fd: lifelineFd, readable: true, writable: false });
  const end = (): void => {
    process.kill(process.pid, 'SIGKILL');
  };
  lifeline.on('error', end);
  lifeline.on('close', end);
  lifeline.resume();
  // oxlint-disable-next-line require-post-message-target-origin -- A thread, not a window.
  parentPort?.postMessage('watching');
}

async function main(languages: readonly string[]): Promise<void> {
  const watcher = new Worker(fileURLToPath(import.meta.url), { execArgv: [] });
  await new Promise((resolve, reject) => {
    watcher.on('message', resolve);
    watcher.on('error', reject);
  });
  // A module of its own for each call: its memory is released as a whole, in whatever state the code left it.
  let javascript: (() => Promise<QuickJs>) | undefined;
  let python: Monty | undefined;
  let taken: (() => EvaluationReply) | undefined;
  const functions = {
    start: () => load(),
    take: async (request: EvaluationRequest) => {
      const run = await runnerOf(request.language);
      taken = () => {
        const files = new CallFiles(request.files, request.writes, request.maxTotalFileBytes);
        const output = new CommandOutputs(request);
        const outcome = outcomeOf(() => run(request, files, output));
        return replyOf(outcome, request, files, output);
      };
      return { started: true } as const;
    },
    run: () => {
      if (taken === undefined) throw new Error('No request was taken.');
      return taken();
    },
  } satisfies { [Name in keyof EvaluatorFunctions]: unknown };
  const calls = new RemoteCalls({
    send: (message) => void process.stdout.write(encodeFrame(message)),
    serve: () => functions,
  });
  const frames = new FrameReader(maxRequestBytes);
  process.stdin.on('data', (chunk: Buffer) => {
    // Only the session writes here.
    for (const message of frames.push(chunk)) calls.receive(message);
  });

  async function load(): Promise<{ readonly ready: true } | UnusableEvaluator> {
    let language: CodeEvaluationLanguage = 'javascript';
    try {
      if (languages.includes('javascript')) {
        // Their shapes are those of the supported versions; the self-test of the session would find another.
        const peer = (await import(javascriptPackage)) as { newQuickJSWASMModule: () => Promise<QuickJs> };
        javascript = peer.newQuickJSWASMModule;
      }
      language = 'python';
      if (languages.includes('python')) python = (await import(pythonPackage)) as Monty;
      return { ready: true };
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
      return { unusable: describeError(error), language, isMissing };
    }
  }

  async function runnerOf(wanted: CodeEvaluationLanguage): Promise<Run> {
    if (wanted === 'javascript' && javascript !== undefined) {
      const engine = await javascript();
      return (...call) => evaluateJavaScript(engine, now, ...call);
    }
    const engine = python;
    if (engine === undefined) throw new Error(`The process was not started for ${wanted}.`);
    return (...call) => evaluatePython(engine, ...call);
  }
}

function outcomeOf(run: () => EvaluationOutcome): EvaluationOutcome {
  try {
    return run();
  } catch (error) {
    return { error: `The interpreter failed: ${describeError(error)}` };
  }
}

function replyOf(
  outcome: EvaluationOutcome,
  { maxOutputBytes }: EvaluationRequest,
  files: CallFiles,
  output: CommandOutputs,
): EvaluationReply {
  const error = 'error' in outcome ? outcome.error : tooLarge(outcome.value, maxOutputBytes);
  if (error !== undefined) output.add('stderr', Buffer.from(error.endsWith('\n') ? error : `${error}\n`));
  const [stdout, stderr] = [output.stdout.text, output.stderr.text];
  if (error !== undefined || 'error' in outcome)
    return { failed: true, kind: 'none', value: '', stdout, stderr, writes: [] };
  return { failed: false, ...outcome, stdout, stderr, writes: files.written };
}

function tooLarge(value: string, maxBytes: number): string | undefined {
  const bytes = Buffer.byteLength(value, 'utf8');
  return bytes > maxBytes
    ? `The value has ${bytes} bytes as text; ${maxBytes} are possible. Return less, or write it to a file.`
    : undefined;
}

if (isMainThread) await main(process.argv.slice(2));
else watch();
