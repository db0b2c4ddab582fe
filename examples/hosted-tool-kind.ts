// A hosted tool of your own kind, with its codec.
import assert from 'node:assert/strict';
import {
  type HostedTool,
  type HostedToolOutput,
  hostedOutputsOf,
  hostedTool,
  PromptEvaluationError,
  promptTemplate,
  section,
} from 'weakincentives';
import { openai } from 'weakincentives/openai';
import type { HostedToolCodec } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import type { HostedToolOptions } from 'weakincentives/tools';
import { z } from 'zod';

// A provider that speaks OpenAI's interface has a tool of its own: it looks up the weather while it answers. Nothing of
// the library knows this kind; everything it takes is in this file.

// 1. What can be configured. A type, not an interface: a config is plain JSON.
type WeatherLookupConfig = { readonly units: 'metric' | 'imperial'; readonly station?: string };

// 2. The output of one lookup.
interface WeatherLookupResult extends HostedToolOutput {
  readonly place: string;
  /** In the units of the config; absent when the lookup failed. */
  readonly degrees?: number;
}

// 3. The factory. It carries both types, and refuses configs that no provider can express.
const configSchema = z.strictObject({
  units: z.enum(['metric', 'imperial']),
  station: z.string().min(1).optional(),
});

function weatherLookupTool({
  config = { units: 'metric' },
  name = 'weather_lookup',
  description = 'Looks up the weather of a place and cites the station.',
}: Partial<HostedToolOptions<WeatherLookupConfig>> = {}): HostedTool<
  WeatherLookupConfig,
  WeatherLookupResult
> {
  configSchema.parse(config);
  return hostedTool<WeatherLookupConfig, WeatherLookupResult>({
    kind: 'weather_lookup',
    name,
    description,
    config,
  });
}

// 4. The codec: the config in this provider's words, and its words read. What it does not know it skips.
const lookupItem = z.object({
  type: z.literal('weather_lookup_call'),
  id: z.string(),
  status: z.enum(['completed', 'failed', 'incomplete']),
  place: z.string(),
  degrees: z.number().optional(),
  error: z.object({ code: z.string() }).optional(),
});
const textPart = z.object({ type: z.literal('output_text'), annotations: z.array(z.unknown()) });
const messageItem = z.object({ type: z.literal('message'), content: z.array(z.unknown()) });
const stationCitation = z.object({
  type: z.literal('station_citation'),
  url: z.string(),
  start_index: z.number(),
  end_index: z.number(),
});

/** The items that have this shape. */
function read<Value>(schema: z.ZodType<Value>, items: readonly unknown[]): readonly Value[] {
  return items.flatMap((item) => {
    const { success, data } = schema.safeParse(item);
    return success ? [data] : [];
  });
}

const weatherLookupCodec: HostedToolCodec<WeatherLookupConfig, WeatherLookupResult> = {
  kind: 'weather_lookup',
  serialize: ({ config: { units, station } }) => ({
    tools: [{ type: 'weather_lookup', units }],
    include: ['weather_lookup_call.degrees'],
    unsupported: station === undefined ? [] : ['station'],
  }),
  parseOutput: ({ items, startOf }) => ({
    invocations: read(lookupItem, items).map(({ id, status, place, degrees, error }) => ({
      invocationId: id,
      status,
      place,
      ...(degrees === undefined ? {} : { degrees }),
      ...(error === undefined ? {} : { errorCode: error.code }),
    })),
    citations: read(messageItem, items).flatMap(({ content }) =>
      content.flatMap((part) => {
        // The provider counts within its part; `startOf` knows where the part begins in the text of the turn.
        const start = startOf(part);
        return read(textPart, [part]).flatMap(({ annotations }) =>
          read(stationCitation, annotations).map(({ url, start_index: from, end_index: to }) => ({
            type: 'url' as const,
            url,
            ...(start === undefined ? {} : { span: [start + from, start + to] as const }),
          })),
        );
      }),
    ),
  }),
};

// The round trip, with a client of our own in the place of the provider.
const weather = weatherLookupTool();
const prompt = promptTemplate({
  ns: 'examples',
  key: 'hosted-tool-kind',
  sections: [section({ title: 'Task', key: 'task', template: 'Advise travellers.', hostedTools: [weather] })],
}).bind();

const sent: { readonly tools?: unknown; readonly include?: unknown }[] = [];
const answerItems = [
  { type: 'weather_lookup_call', id: 'wl_1', status: 'completed', place: 'Oslo', degrees: -4 },
  {
    type: 'weather_lookup_call',
    id: 'wl_2',
    status: 'failed',
    place: 'Atlantis',
    error: { code: 'no-such-place' },
  },
  {
    type: 'message',
    role: 'assistant',
    content: [
      { type: 'output_text', text: 'Take a coat. ', annotations: [] },
      {
        type: 'output_text',
        text: 'Oslo has 4 degrees of frost.',
        annotations: [
          { type: 'station_citation', url: 'https://stations.example/oslo', start_index: 0, end_index: 27 },
        ],
      },
    ],
  },
];
const client = {
  responses: {
    create: (body: object) => {
      sent.push(body);
      return Promise.resolve({ status: 'completed', output: answerItems });
    },
  },
};

// 5. Registration: the codec is used in addition to the adapter's own.
const adapter = openai({
  model: 'weather-model',
  client,
  hostedToolCodecs: { weather_lookup: weatherLookupCodec },
});
const response = await adapter.evaluate(prompt, { input: 'Oslo or Atlantis?' });

assert.deepEqual(sent[0]?.tools, [{ type: 'weather_lookup', units: 'metric' }]);
assert(Array.isArray(sent[0]?.include) && sent[0].include.includes('weather_lookup_call.degrees'));

const { invocations, citations } = hostedOutputsOf(response, weather);
for (const { place, degrees, status, errorCode } of invocations) {
  console.log(`${place}: ${status === 'completed' ? `${degrees} degrees` : `${status}, ${errorCode}`}`);
}
assert.deepEqual(
  invocations.map(({ place, degrees, errorCode, turn }) => [place, degrees, errorCode, turn]),
  [
    ['Oslo', -4, undefined, 1],
    ['Atlantis', undefined, 'no-such-place', 1],
  ],
);
const [citation] = citations;
assert(citation?.type === 'url' && citation.span !== undefined);
assert.equal(response.text.slice(...citation.span), 'Oslo has 4 degrees of frost');
console.log(`"${response.text.slice(...citation.span)}" is from ${citation.url}`);

// A config that the provider cannot express is refused before anything is sent.
const fixed = promptTemplate({
  ns: 'examples',
  key: 'fixed-station',
  sections: [
    section({
      title: 'Task',
      key: 'task',
      template: 'Advise travellers.',
      hostedTools: [weatherLookupTool({ config: { units: 'metric', station: 'oslo-1' } })],
    }),
  ],
}).bind();
await assert.rejects(adapter.evaluate(fixed), (error) => {
  assert(PromptEvaluationError.isInstance(error));
  assert.equal(error.phase, 'render');
  assert.match(error.message, /does not support "station" of the hosted tool "weather_lookup"/);
  return true;
});
assert.equal(sent.length, 1);

// The same codec reads a script, for tests of prompts without a client.
const script = scriptedAdapter([{ text: 'Take a coat.', items: answerItems.slice(0, 1) }], {
  hostedToolCodecs: { weather_lookup: weatherLookupCodec },
});
const scripted = hostedOutputsOf(await script.evaluate(prompt), weather);
assert.deepEqual(
  scripted.invocations.map(({ place, degrees }) => [place, degrees]),
  [['Oslo', -4]],
);
