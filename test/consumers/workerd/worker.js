import { sellPears } from './agent.mjs';

export default {
  async fetch() {
    return new Response(await sellPears());
  },
};
