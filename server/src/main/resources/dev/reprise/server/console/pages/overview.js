import { html } from 'lit';

export const title = 'Overview';
export const render = () => html`<h1>Overview</h1>`;
