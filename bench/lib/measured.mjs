// measured.mjs - docs/measured.md from the report of a whole run. Pure.

import { demand, time } from './report.mjs';
import { count } from './statistics.mjs';

const two = (ratio) => (ratio === null || ratio === undefined ? '-' : ratio.toFixed(2));
const escaped = (text) => text.replace(/[*_|]/g, '\\$&');

// Rows of one name are one: the time and the verdict with the fewest threads of the section, the ratios with all.
function tableOf(section) {
  const rows = section.rows.filter((row) => !row.growth && row.times.stria);
  const [fewest, ...others] = [...new Set(rows.map((row) => row.threads))].sort((a, b) => a - b);
  const titles = others.map((threads) => `ratio, ${threads} threads`);
  const head = [
    '',
    'stria',
    'best peer',
    'ratio',
    ...titles,
    'target',
    `verdict, ${fewest} thread${fewest > 1 ? 's' : ''}`,
  ];
  const names = [...new Set(rows.map((row) => row.name))];
  const body = names.map((name) => {
    const find = (threads) => rows.find((row) => row.name === name && row.threads === threads);
    const row = find(fewest);
    return [
      escaped(name),
      time(row?.times.stria.median),
      row?.bestPeer ?? '-',
      two(row?.ratio),
      ...others.map((threads) => two(find(threads)?.ratio)),
      row ? escaped(demand(row)) : '-',
      row && row.verdict !== 'no target' ? row.verdict : '',
    ];
  });
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

// Of both: the libraries, and those that there were not.
const versionsOf = ({ versions = {}, absent = {} }) =>
  [
    ...Object.entries(versions).map(([name, version]) => `${name} ${version}`),
    ...Object.keys(absent).map((name) => `no ${name}`),
  ].join('; ');

function sectionOf(section) {
  const rows = section.rows.filter((row) => !row.growth);
  if (section.skipped) return `## ${section.title}\n\nSkipped: ${section.skipped.reason}.`;
  const counts = [...new Set(rows.map((row) => row.threads))].map((threads) => {
    const verdicts = Object.entries(count(rows.filter((row) => row.threads === threads)));
    return `${threads} thread${threads > 1 ? 's' : ''}: ${verdicts.map(([verdict, n]) => `${n} ${verdict}`).join(', ')}`;
  });
  const versions = versionsOf(section);
  return `## ${section.title}\n\n${versions === '' ? '' : `${versions}. `}Rows with ${counts.join('; with ')}.\n\n${tableOf(section)}`;
}

/** The page: the machine, every section as a table, what is no row. */
export function measuredPage(report) {
  const { cpu, cores, memoryBytes, system } = report.machine;
  const specials = report.specials.map(
    ({ name, value, limit, verdict }) =>
      `| ${[name, value, limit, verdict].map((cell) => escaped(String(cell))).join(' | ')} |`,
  );
  return `# Measured

Every row of one run of \`make bench\` on ${report.date.slice(0, 10)}: ${cpu}, ${cores} cores, ${Math.round(memoryBytes / 2 ** 30)} GiB, ${system}. \`node bench/measured.mjs\` writes this page from
the results of the last whole run. A ratio is stria's time over that of the best of the libraries that have the row: below 1, stria is faster. [performance](performance.md) says what bounds the
rows, and why some miss their target; [bench/README.md](../bench/README.md), how they are measured.

${report.sections.map(sectionOf).join('\n\n')}

## Other measurements

| | | | |
| --- | --- | --- | --- |
${specials.join('\n')}
`;
}
