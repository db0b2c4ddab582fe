/** A process that speaks the Responses interface on the loopback address and answers by the script of the trace: it prints its port. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { toEvents, toServerSentEvents } from '../../test/support/openai-stream.ts';
import { answerText, callsBefore, callsOf, type TraceCall } from './script.ts';

type Fields = Readonly<Record<string, unknown>>;

const { turns, files } = JSON.parse(process.argv[2] ?? '') as {
  readonly turns: number;
  readonly files: number;
};
/** The turn that a request asks for, by how many results it has. */
const turnOf = new Map(Array.from({ length: turns + 1 }, (_, turn) => [callsBefore(turn), turn]));

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`${address?.port}\n`);
});
// It ends with who has started it.
process.stdin.resume().on('end', () => process.exit(0));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const { input, stream } = JSON.parse(Buffer.concat(pieces).toString('utf8')) as Fields;
  const results = (Array.isArray(input) ? (input as Fields[]) : []).filter(
    ({ type }) => type === 'function_call_output',
  );
  const turn = turnOf.get(results.length);
  const wrong = turn === undefined ? `there are ${results.length} results` : wrongResult(turn, results);
  if (turn === undefined || wrong !== undefined || stream !== true) {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `This is not the trace: ${wrong ?? 'no stream'}.` } }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  // One piece an event, as providers send them.
  for (const event of toEvents(responseOf(turn))) response.write(toServerSentEvents([event]));
  response.end();
}

/** Looks at the results of the turn before. */
function wrongResult(turn: number, results: readonly Fields[]): string | undefined {
  const expected = turn === 0 ? [] : callsOf(turn - 1, files);
  const wrong = expected.find(({ id, expected: word }) => {
    const result = results.find(({ call_id: call }) => call === id);
    return !JSON.stringify(result?.['output'] ?? '').includes(word);
  });
  return wrong === undefined ? undefined : `the result of ${wrong.id} has no "${wrong.expected}"`;
}

function responseOf(turn: number): Fields {
  const isOver = turn === turns;
  const text = isOver ? answerText : 'I change what I have read, and look at the next files of the project.';
  const id = `${turn}`;
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'trace',
    output: [messageOf(id, text), ...(isOver ? [] : callsOf(turn, files).map(itemOf))],
    usage: {
      input_tokens: 1_000,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 100,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 1_100,
    },
  };
}

function messageOf(id: string, text: string): Fields {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content };
}

function itemOf({ id, name, arguments: given }: TraceCall): Fields {
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: JSON.stringify(given),
    status: 'completed',
  };
}
