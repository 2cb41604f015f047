"""Writes the PyTorch files that the tests read. Run in this folder with PyTorch 2: python3 make_torch_files.py

a[i,j] = i + j/4 - 1 for 3 rows and 4 columns, as in make_files.py.
"""
from collections import OrderedDict
import torch

a = torch.arange(3)[:, None] + torch.arange(4) / 4 - 1

dtypes = dict(f16=torch.float16, bf16=torch.bfloat16, f32=torch.float32, f64=torch.float64, i8=torch.int8,
              u8=torch.uint8, i32=torch.int32, i64=torch.int64, bool=torch.bool)
torch.save({name: (a + 1 if name == 'u8' else a).to(t) for name, t in dtypes.items()}, 'dtypes.pt')

whole = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4)
torch.save(OrderedDict(whole=whole, transposed=whole[0].t(), row=whole[1, 2], column=whole[:, 1, 3],
                       permuted=whole.permute(2, 0, 1), stepped=whole[:, ::2, 1:4:2], expanded=whole[0, 0, :2].expand(3, 2),
                       scalar=whole[1, 1, 1], empty=whole[:0], parameter=torch.nn.Parameter(whole[1])), 'views.pt')

torch.save({'epoch': 3, 'loss': 0.25, 'best': None, 'done': False, 'big': 1 << 40, 'name': 'net', 'size': whole.shape,
            'model': OrderedDict(w=whole[0]), 'optimizer': {'state': {0: {'step': torch.tensor(2.), 'm': whole[1]}},
            'param_groups': [{'lr': 0.1, 'betas': (0.9, 0.999), 'params': [0]}]}}, 'nested.pt')
torch.save(whole, 'single.pth')
torch.save(OrderedDict(w=whole, b=torch.tensor([True, False])), 'protocol4.pt', pickle_protocol=4)
torch.save(OrderedDict(w=whole), 'legacy.pt', _use_new_zipfile_serialization=False)
torch.save(torch.nn.Linear(2, 3), 'module.pt')
torch.save({'w': torch.zeros(2, dtype=torch.int16)}, 'i16.pt')
torch.save({'w': torch.zeros(2, dtype=torch.complex64).conj()}, 'conjugate.pt')
torch.save({'w': torch.eye(2).to_sparse()}, 'sparse.pt')
