// Words for what a person does and sees on any screen of the console; the marks they use are named in console/README.md.
import {until} from './api.mjs';

/** Opens a screen and waits until its data is there. */
export async function open(page, path) {
  await page.goto(`/console${path}`);
  await loaded(page);
}

/** No skeleton, no table that is busy, and a heading. */
export async function loaded(page) {
  await page.locator('main h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('.skeleton') && !document.querySelector('[aria-busy=true]'));
}

export const rowIds = (page, where = 'main') =>
  page.locator(`${where} [data-row]`).evaluateAll((rows) => rows.map((row) => row.getAttribute('data-row')));

/** A row by its id, as {column: text}, with the state's word of the server as `state`. */
export async function row(page, id, where = 'main') {
  const one = page.locator(`${where} [data-row="${id}"]`).first();
  await one.waitFor();
  return one.evaluate((element) => {
    const cells = Object.fromEntries([...element.querySelectorAll('[data-label]')].map((cell) => [cell.dataset.label, cell.innerText.trim()]));
    return {...cells, state: element.querySelector('[data-state]')?.dataset.state};
  });
}

/** What is said to be shown for a count: exact to 10,000. */
export const shown = (n) => (n > 10_000 ? '10,000+' : n.toLocaleString('en-GB'));

export const state = (page) => page.locator('main .state-line [data-state]').getAttribute('data-state');

/** Presses a button of the dialog that is open. */
export async function answer(page, name) {
  await page.locator('dialog[open]').getByRole('button', {name, exact: typeof name === 'string'}).click();
}

export const sees = (page, text) => page.getByText(text).first().waitFor();

/** Looks for something by the search box, as typed. */
export async function search(page, text) {
  await page.locator('#search').fill(text);
  await page.locator('#search').press('Enter');
}

export const waitForPath = (page, pattern) => until(`the address becomes ${pattern}, is ${page.url()}`, () => {
  const {pathname, search: query} = new URL(page.url());
  return pattern.test(decodeURIComponent(pathname + query));
});
