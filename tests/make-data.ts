// Makes data that many tests share before they begin: `sample`, or `corpora` of real posts where those are named.
import { CORPORA, madeCorpus, madeSample } from './support/made-data.ts';
import { realData } from './support/posts.ts';

const data = realData();
if (process.argv[2] === 'sample') await madeSample();
else if (data) await Promise.all(CORPORA.map((corpus) => madeCorpus(data, corpus)));
