"""Writes weights, inputs and outputs of a PyTorch model. Run in this folder with PyTorch 2: python3 make_weights.py"""
import torch
from torch import nn
from safetensors.torch import save_file

torch.manual_seed(1)
model = nn.Sequential()
model.add_module('conv', nn.Conv2d(1, 4, 3, padding=1))
model.add_module('norm', nn.BatchNorm2d(4))
model.add_module('relu', nn.ReLU())
model.add_module('pool', nn.MaxPool2d(2))
model.add_module('flat', nn.Flatten())
model.add_module('fc1', nn.Linear(64, 16))
model.add_module('relu1', nn.ReLU())
model.add_module('fc2', nn.Linear(16, 16))
model.add_module('relu2', nn.ReLU())
model.add_module('head', nn.Linear(16, 3))
for _ in range(5):
    model(3 * torch.randn(20, 1, 8, 8) + 1)
model.eval()
x = torch.randn(5, 1, 8, 8)
with torch.no_grad():
    y = model(x)
torch.save({'model': model.state_dict(), 'x': x, 'y': y, 'epoch': 5}, 'cnn.pt')
weights = {'model.' + name: t for name, t in model.state_dict().items()}
save_file({**weights, 'x': x, 'y': y}, 'cnn.safetensors')
