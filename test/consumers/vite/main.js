import { sellPears } from './agent.mjs';

document.querySelector('#answer').textContent = await sellPears();
