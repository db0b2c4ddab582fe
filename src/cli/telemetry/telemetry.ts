import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeError } from '../../core/error/index.ts';
import { isRecord, present, shorten } from '../../core/internal/index.ts';
import type { RunObserver } from '../../core/runtime/index.ts';
import {
  createOtelObserver,
  type OtelContext,
  type OtelMeter,
  type OtelTracer,
  runIn,
} from '../../record/otel/index.ts';
import { addressFrom, packageAddress } from '../model/package-address.ts';
import { orUsageError, UsageError } from '../process/errors.ts';
import { firstOf, printable } from '../process/plain-text.ts';

/** What `--otel` adds to a run. */
export interface Telemetry {
  readonly observer: RunObserver;
  /** Does the work of the run in the trace that `TRACEPARENT` names. */
  runIn<T>(work: () => T): T;
  /** Sends what was not sent yet, or gives it up after a while. Never rejects. @returns what went wrong, one line each. */
  end(): Promise<readonly string[]>;
}

/** How long the end of a run waits for a collector. */
const flushTimeoutMs = 5000;

/** Lines about one kind of problem, such as each batch that a collector refused, are few. */
const maxProblems = 3;

/** The parts of `@opentelemetry/api` that are used here. */
interface Api {
  readonly trace: { getTracer(name: string, version?: string): OtelTracer; getTracerProvider(): unknown };
  readonly metrics: { getMeter(name: string, version?: string): OtelMeter; getMeterProvider(): unknown };
  readonly propagation: { extract(context: OtelContext, carrier: unknown): OtelContext };
  readonly ROOT_CONTEXT: OtelContext;
  readonly diag: { setLogger(logger: unknown, options: unknown): unknown };
  readonly DiagLogLevel: { readonly WARN: number };
}

interface Sdk {
  start(): void;
  shutdown(): Promise<void>;
}

interface Packages {
  readonly api: Api;
  readonly NodeSDK: new (options: unknown) => Sdk;
  readonly envDetector: unknown;
}

/**
 * Starts the SDK of OpenTelemetry as its environment variables say, unless the process has one, such as one that `NODE_OPTIONS` loads.
 *
 * @throws {UsageError} when the SDK is not installed, or cannot be started.
 * @see docs/spec/telemetry.md §9
 */
export async function startTelemetry(options: {
  /** Directory of the agent's module, where the SDK is looked for. */
  readonly agentFolder: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly version: string;
}): Promise<Telemetry> {
  const { agentFolder, variables, version } = options;
  const problems = new Set<string>();
  const packages = await loadPackages(agentFolder);
  const { api } = packages;
  if ((variables['OTEL_LOG_LEVEL'] ?? '') === '') collectProblems(api, problems);
  const sdk = orUsageError(
    () => (hasProvider(api) ? undefined : startSdk(packages, variables)),
    (error) => `--otel: OpenTelemetry cannot be started: ${problemLine(describeError(error))}.`,
  );
  const content = readCapture(variables, problems);
  const parent = parentContext(api, variables, problems);
  return {
    observer: createOtelObserver(
      { tracer: api.trace.getTracer('wink', version), meter: api.metrics.getMeter('wink', version), content },
      { hasConversation: false },
    ),
    runIn: (work) => runIn(parent, work),
    end: async () => {
      await flush(api, sdk, problems, collectorOf(variables));
      const lines = firstOf([...problems], maxProblems, String, (rest) => `${rest} more problems`);
      return lines.map((line) => `telemetry: ${line}.`);
    },
  };
}

async function loadPackages(agentFolder: string): Promise<Packages> {
  const name = '@opentelemetry/sdk-node';
  const address = packageAddress(name, agentFolder);
  if (address === undefined) {
    throw new UsageError(
      `--otel needs the package "${name}", which is not installed where the agent or this command would find it. Install it with "npm install @opentelemetry/api ${name}".`,
    );
  }
  // What belongs to this very SDK, whatever else is installed.
  const besideSdk = (part: string): Promise<unknown> =>
    import(addressFrom(part, dirname(fileURLToPath(address))) ?? part);
  const parts = ['@opentelemetry/api', '@opentelemetry/resources'].map(besideSdk);
  const [sdk, api, resources] = await orUsageError(
    () => Promise.all([import(address), ...parts]),
    (error) => `--otel: the package "${name}" cannot be loaded: ${problemLine(describeError(error))}.`,
  );
  // These are the packages of these names; what they export is documented.
  const { NodeSDK } = sdk as Pick<Packages, 'NodeSDK'>;
  const { envDetector } = resources as Pick<Packages, 'envDetector'>;
  return { NodeSDK, envDetector, api: api as Api };
}

function startSdk(
  { NodeSDK, envDetector }: Packages,
  variables: Readonly<Record<string, string | undefined>>,
): Sdk {
  const isNamed =
    (variables['OTEL_SERVICE_NAME'] ?? '') !== '' ||
    /(^|,)\s*service\.name\s*=/.test(variables['OTEL_RESOURCE_ATTRIBUTES'] ?? '');
  const sdk = new NodeSDK({
    ...present({ serviceName: isNamed ? undefined : 'wink' }),
    // The detectors of processes and hosts add the arguments of this command, which hold the input of the run, and names of this machine.
    ...present({
      resourceDetectors: (variables['OTEL_NODE_RESOURCE_DETECTORS'] ?? '') === '' ? [envDetector] : undefined,
    }),
  });
  sdk.start();
  return sdk;
}

/** Whether the process makes spans already. */
function hasProvider({ trace }: Api): boolean {
  const provider = trace.getTracerProvider();
  const delegated = functionOf(provider, 'getDelegateTracer');
  return delegated === undefined || delegated('wink') !== undefined;
}

/** Problems of the SDK, such as values that it cannot read and collectors that do not answer. */
function collectProblems({ diag, DiagLogLevel }: Api, problems: Set<string>): void {
  const note = (...words: readonly unknown[]): void => {
    problems.add(problemLine(words.map(problemText).join(': ')));
  };
  const ignore = (): void => undefined;
  const logger = { error: note, warn: note, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** The SDK reports texts, errors, and errors as JSON text with a message and a stack. */
function problemText(reported: unknown): string {
  if (typeof reported !== 'string') return describeError(reported);
  try {
    const parsed: unknown = JSON.parse(reported);
    if (isRecord(parsed)) return exportProblem(parsed);
  } catch {
    // It is a plain text.
  }
  return reported;
}

/** What an exporter says of its failure: a message, and the status of the response or a code of the system. */
function exportProblem({ message, code }: Readonly<Record<string, unknown>>): string {
  const words = [message, code].filter((word) => word !== undefined && word !== '').map(String);
  return words.length === 0 ? 'an export failed' : `an export failed: ${words.join(', ')}`;
}

function parentContext(
  api: Api,
  variables: Readonly<Record<string, string | undefined>>,
  problems: Set<string>,
): OtelContext {
  const { TRACEPARENT: traceparent, TRACESTATE: tracestate, BAGGAGE: baggage } = variables;
  if (traceparent === undefined || traceparent === '') return api.ROOT_CONTEXT;
  if (!isTraceParent(traceparent)) {
    problems.add('TRACEPARENT is not a trace parent as W3C defines it, and is ignored');
    return api.ROOT_CONTEXT;
  }
  const carrier = Object.fromEntries(
    Object.entries({ traceparent, tracestate, baggage }).filter(([, value]) => value !== undefined),
  );
  return api.propagation.extract(api.ROOT_CONTEXT, carrier);
}

/** What takes the spans of this process, as a person looks for it: without a name or a password that its address may have. */
function collectorOf(variables: Readonly<Record<string, string | undefined>>): string {
  const names = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
  const name = names.find((each) => (variables[each] ?? '') !== '');
  if (name === undefined) return 'the collector, by default on port 4318 of this machine,';
  const address = variables[name] ?? '';
  return URL.canParse(address)
    ? `the collector at "${printable(new URL(address).host)}", which ${name} names,`
    : `the collector that ${name} names`;
}

async function flush(
  api: Api,
  sdk: Sdk | undefined,
  problems: Set<string>,
  collector: string,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      problems.add(`not everything was sent within ${flushTimeoutMs / 1000} s: ${collector} does not answer`);
      resolve();
    }, flushTimeoutMs);
  });
  try {
    await Promise.race([sdk === undefined ? flushProviders(api) : sdk.shutdown(), late]);
  } catch (error) {
    problems.add(problemLine(isRecord(error) ? exportProblem(error) : describeError(error)));
  } finally {
    clearTimeout(timer);
  }
}

/** Flushes the providers of another SDK, which continues. */
async function flushProviders({ trace, metrics }: Api): Promise<void> {
  const provider = trace.getTracerProvider();
  const tracers: unknown = functionOf(provider, 'getDelegate')?.() ?? provider;
  await Promise.all([tracers, metrics.getMeterProvider()].map((each) => functionOf(each, 'forceFlush')?.()));
}

/** A method of something that may have it. */
function functionOf(value: unknown, name: string): ((...args: readonly unknown[]) => unknown) | undefined {
  const found: unknown = isRecord(value) ? Reflect.get(value, name) : undefined;
  return typeof found === 'function' ? (...args) => Reflect.apply(found, value, args) : undefined;
}

/** The first line of a problem, without the period at its end. */
function problemLine(text: string): string {
  return shorten(printable(text.split('\n', 1)[0] ?? '').replace(/[.\s]+$/, ''), 300);
}

/** The variable that instrumentations for generative AI share. */
const captureName = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';

/** Whether spans hold the content of messages. Another value than the known ones is a problem, and means no. */
function readCapture(
  variables: Readonly<Record<string, string | undefined>>,
  problems: Set<string>,
): 'none' | 'full' {
  const value = (variables[captureName] ?? '').trim().toLowerCase();
  if (['true', 'span_only', 'span_and_event'].includes(value)) return 'full';
  if (!['', 'false', 'no_content', 'event_only'].includes(value)) {
    problems.add(`${captureName} is not true or false; no content is recorded`);
  }
  return 'none';
}

/** Whether a text is a trace parent as W3C defines it: version, trace, parent and flags, none of the ids only zeros. */
function isTraceParent(text: string): boolean {
  const [, version, traceId, parentId] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(?:-.*)?$/.exec(text.trim()) ?? [];
  return version !== undefined && version !== 'ff' && !isZero(traceId ?? '0') && !isZero(parentId ?? '0');
}

function isZero(id: string): boolean {
  return /^0+$/.test(id);
}
