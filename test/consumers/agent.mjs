// The agent of every project: it sells pears twice, once more than there are.
import {
  defineAgent,
  defineSlice,
  promptTemplate,
  runAgent,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const Stock = defineSlice({
  name: 'stock',
  schema: z.object({ pears: z.number() }),
  initial: [{ pears: 10 }],
});
const sell = tool({
  name: 'sell',
  description: 'Sells pears.',
  inputSchema: z.object({ count: z.number() }),
  effects: 'state',
  execute: ({ count }, { session }) => {
    const pears = session.slice(Stock).latest().pears - count;
    session.slice(Stock).seed([{ pears }]);
    return pears < 0 ? ToolResult.error('There are not enough.') : ToolResult.ok(null, `${pears} left.`);
  },
});
const shop = section({ title: 'Shop', key: 'shop', template: 'Sell.', tools: [sell], slices: [Stock] });
const call = (count) => ({ toolCalls: [{ name: 'sell', arguments: { count } }] });

/** Runs the agent on a script in the place of a model. */
export async function sellPears() {
  const session = new Session();
  const agent = defineAgent({
    template: promptTemplate({ ns: 'consumers', key: 'sell', sections: [shop] }),
    adapter: scriptedAdapter([call(30), call(4), { text: 'Sold.' }]),
  });
  const { text } = await runAgent(agent, { session });
  const { pears } = session.slice(Stock).latest();
  await session[Symbol.asyncDispose]();
  return `${text} ${pears} pears are left.`;
}
