import { sellPears } from './agent.mjs';

const answer = await sellPears();
if (answer !== 'Sold. 6 pears are left.') throw new Error(answer);
