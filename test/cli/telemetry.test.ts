import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type OtlpCollector, openOtlpCollector } from '../support/otlp-collector.ts';
import { agentText, writing } from './agents.ts';
import { ending, root, run, start } from './wink.ts';

let folder = '';
let agent = '';

beforeAll(() => {
  expect(inject('buildProblem')).toBe('');
  folder = mkdtempSync(join(tmpdir(), 'wink-telemetry-'));
  mkdirSync(join(folder, 'work'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  agent = put('agent.ts', agentText(`name: 'writer', ${writing}`));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** An agent whose one call does this. */
const calls = (handler: string, more = ''): string =>
  agentText(
    `name: 'caller', adapter: scriptedAdapter([{ toolCalls: [{ name: 'call' }] }, { text: 'Called.' }])`,
    `${more}
     const call = tool({ name: 'call', description: 'Calls.', execute: async () => { ${handler} } });`,
  ).replace(
    'sections: [task, vfsToolsSection()]',
    "sections: [task, section({ title: 'Call', key: 'call', template: 'Call.', tools: [call] })]",
  );

const at = ({ url }: OtlpCollector): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
});
const otel = (path: string): readonly string[] => ['run', path, '--otel'];

/** Agents that work on files work on a small folder. */
const runHere: typeof run = (args, options) => run([...args, '--workspace', join(folder, 'work')], options);

describe('wink run --otel', () => {
  it('sends spans and metrics where the environment says, below the parent that it names', async () => {
    await using collector = await openOtlpCollector();
    const { code, stderr } = await runHere([...otel(agent), '--params', '{"topic":"the secret topic"}'], {
      variables: {
        ...at(collector),
        OTEL_EXPORTER_OTLP_HEADERS: 'x-team=blue',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        TRACEPARENT: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
    });
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain('telemetry');
    expect(collector.spans.map(({ name }) => name).sort()).toEqual([
      'chat scripted model',
      'chat scripted model',
      'execute_tool write_file',
      'invoke_agent writer',
      'step 1',
      'step 2',
    ]);
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(
      new Set(['0af7651916cd43dd8448eb211c80319c']),
    );
    const agentSpan = collector.spans.find(({ name }) => name === 'invoke_agent writer');
    expect(agentSpan?.parentSpanId).toBe('b7ad6b7169203331');
    // A session of one run is no conversation.
    expect(agentSpan?.attributes).not.toHaveProperty(['gen_ai.conversation.id']);
    expect(agentSpan?.resource).toMatchObject({
      'service.name': 'wink',
      'deployment.environment.name': 'test',
    });
    expect([...collector.metrics]).toEqual(
      expect.arrayContaining(['gen_ai.client.operation.duration', 'wink.run.duration']),
    );
    expect(collector.headers[0]).toMatchObject({ 'x-team': 'blue' });
    // Neither the arguments of the command nor names of the machine are part of it.
    expect(JSON.stringify(collector.spans)).not.toContain('secret');
    expect(Object.keys(agentSpan?.resource ?? {}).filter((key) => /^(process|host)\./.test(key))).toEqual([]);
  });

  it('takes the name of the service, and sends content, as variables say', async () => {
    await using collector = await openOtlpCollector();
    await runHere([...otel(agent), '--params', '{"topic":"the secret topic"}'], {
      variables: {
        ...at(collector),
        OTEL_SERVICE_NAME: 'reviews',
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      },
    });
    expect(collector.spans[0]?.resource['service.name']).toBe('reviews');
    expect(JSON.stringify(collector.spans)).toContain('Write about the secret topic.');
  });

  it.each([
    ['that is disabled', { OTEL_SDK_DISABLED: 'true' }],
    ['whose sampler takes nothing', { OTEL_TRACES_SAMPLER: 'always_off', OTEL_METRICS_EXPORTER: 'none' }],
  ])('sends nothing with an SDK %s', async (_what, variables) => {
    await using collector = await openOtlpCollector();
    const { code, stderr } = await runHere(otel(agent), { variables: { ...at(collector), ...variables } });
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain('telemetry');
    expect([collector.spans, [...collector.metrics]]).toEqual([[], []]);
  });

  it('sends what happened in a run that failed', async () => {
    await using collector = await openOtlpCollector();
    const failing = put('failing.ts', agentText("name: 'writer', adapter: scriptedAdapter([])"));
    const { code } = await runHere(otel(failing), { variables: at(collector) });
    expect(code).toBe(1);
    const agentSpan = collector.spans.find(({ name }) => name === 'invoke_agent writer');
    expect(agentSpan).toMatchObject({ status: 2 });
    expect(agentSpan?.attributes['error.type']).toMatch(/^evaluation-/);
  });

  it('sends what happened in a run that was interrupted', async () => {
    await using collector = await openOtlpCollector();
    const waiting = put(
      'waiting.ts',
      calls(`console.error('it waits'); await new Promise((resolve) => setTimeout(resolve, 60_000));`),
    );
    const child = start(otel(waiting), { cwd: folder, variables: at(collector) });
    const ended = ending(child);
    child.stderr.on('data', (data: Buffer) => {
      if (data.toString().includes('it waits')) child.kill('SIGINT');
    });
    expect((await ended).code).toBe(130);
    const ends = Object.fromEntries(
      collector.spans.map(({ name, attributes }) => [name, attributes['error.type']]),
    );
    expect(ends).toMatchObject({
      'invoke_agent caller': 'evaluation-aborted',
      'execute_tool call': 'aborted',
    });
  });

  it('warns about a collector that refuses or does not answer, and the run is what it is', async () => {
    await using refusing = await openOtlpCollector(400);
    const refused = await runHere(otel(agent), { variables: at(refusing) });
    expect(refused.code, refused.stderr).toBe(0);
    expect(refused.stderr).toMatch(/wink: telemetry: an export failed: Bad Request, 400\.\n/);
    let gone: OtlpCollector | undefined;
    {
      await using closed = await openOtlpCollector();
      gone = closed;
    }
    const unanswered = await runHere(otel(agent), {
      variables: { ...at(gone), OTEL_EXPORTER_OTLP_TIMEOUT: '100' },
    });
    expect(unanswered.code, unanswered.stderr).toBe(0);
    expect(unanswered.stderr).toMatch(/wink: telemetry: .+\n/);
    expect(unanswered.stdout).toContain('Written.');
  });

  it('names the collector that does not answer, without what is secret in its address', async () => {
    let gone: OtlpCollector | undefined;
    {
      await using closed = await openOtlpCollector();
      gone = closed;
    }
    const { host } = new URL(gone.url);
    const { code, stderr } = await runHere(otel(agent), {
      variables: { ...at(gone), OTEL_EXPORTER_OTLP_ENDPOINT: `http://me:hunter2@${host}/otlp?key=hunter3` },
    });
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(
      `wink: telemetry: not everything was sent within 5 s: the collector at "${host}", which OTEL_EXPORTER_OTLP_ENDPOINT names, does not answer.`,
    );
    expect(stderr).not.toContain('hunter');
  });

  it('warns about variables that it cannot read', async () => {
    await using collector = await openOtlpCollector();
    const { code, stderr } = await runHere(otel(agent), {
      variables: {
        ...at(collector),
        TRACEPARENT: 'not-a-parent',
        OTEL_TRACES_SAMPLER: 'sometimes',
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'perhaps',
      },
    });
    expect(code, stderr).toBe(0);
    const lines = stderr.split('\n').filter((line) => line.startsWith('wink: telemetry: '));
    expect(lines).toEqual([
      expect.stringContaining('OTEL_TRACES_SAMPLER value "sometimes"'),
      'wink: telemetry: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is not true or false; no content is recorded.',
      'wink: telemetry: TRACEPARENT is not a trace parent as W3C defines it, and is ignored.',
    ]);
    expect(collector.spans).toHaveLength(6);
  });

  it('makes spans of the handler children of its call', async () => {
    await using collector = await openOtlpCollector();
    const tracing = put(
      'tracing.ts',
      calls(
        `trace.getTracer('mine').startSpan('GET').end(); return ToolResult.ok(null, 'Called.');`,
        "import { trace } from '@opentelemetry/api';",
      ),
    );
    const { code, stderr } = await runHere(otel(tracing), { variables: at(collector) });
    expect(code, stderr).toBe(0);
    const named = (name: string) => collector.spans.find((span) => span.name === name);
    expect(named('GET')?.parentSpanId).toBe(named('execute_tool call')?.spanId);
    expect(named('GET')?.traceId).toBe(named('invoke_agent caller')?.traceId);
  });

  it('uses the SDK that the process has', async () => {
    await using collector = await openOtlpCollector();
    const preload = put(
      'preload.mjs',
      `import { NodeSDK } from '@opentelemetry/sdk-node';
       new NodeSDK({ serviceName: 'of the process', autoDetectResources: false }).start();`,
    );
    const { code, stderr } = await runHere(otel(agent), {
      variables: { ...at(collector), NODE_OPTIONS: `--import=${pathToFileURL(preload)}` },
    });
    expect(code, stderr).toBe(0);
    expect(collector.spans).toHaveLength(6);
    expect(collector.spans[0]?.resource['service.name']).toBe('of the process');
  });
});
